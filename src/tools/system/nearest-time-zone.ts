import { nearest } from "../../schema/nearest.js";

/** The IANA name that was probably meant: misspelled, or a city without its continent. */
export function nearestTimeZone(name: string): string | undefined {
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  const byCity = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf("/") + 1), zone]));
  const city = name.slice(name.lastIndexOf("/") + 1).trim();
  return nearest(name.trim(), zones) ?? byCity.get(nearest(city, byCity.keys()) ?? "");
}
