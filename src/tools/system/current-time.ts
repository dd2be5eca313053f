import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { once } from "../../contract/once.js";
import { nearest } from "../../schema/nearest.js";

/** Returns the current time in a time zone. */
export const currentTime = defineTool({
  name: "current_time",
  description: "Get the current date and time, in a given time zone or in the time zone of this machine.",
  category: "system",
  annotations: { title: "Current time", readOnly: true, idempotent: true },
  examples: [{ arguments: {} }, { arguments: { timezone: "Asia/Shanghai" } }],
  input: z.object({
    timezone: z
      .string()
      .max(64)
      .optional()
      .describe('IANA name such as "Asia/Shanghai" or "UTC". Default: the time zone of this machine.'),
  }),
  output: z.object({
    timestamp: z.number().describe("Unix time in milliseconds."),
    iso: z.string().describe("ISO 8601 with the offset of the time zone."),
    timezone: z.string(),
  }),
  execute: ({ timezone }, { clock }) => timeIn(clock.now(), timezone),
  render: ({ iso, timezone }) => `${iso} (${weekday(iso)}, ${timezone})`,
});

interface ZonedTime {
  readonly timestamp: number;
  readonly iso: string;
  readonly timezone: string;
}

function timeIn(timestamp: number, requested: string | undefined): ZonedTime {
  const { zone, name, offset } =
    requested === undefined ? localZone(timestamp) : zoneOf(requested, timestamp);
  // Shifted by the offset and formatted as UTC, the instant shows the local time of the zone.
  const wallClock = new Date(timestamp + offset * 60_000).toISOString().slice(0, -1);
  const iso = wallClock + (utcNames.has(zone) ? "Z" : formatOffset(offset));
  return { timestamp, iso, timezone: name };
}

const utcNames: ReadonlySet<string> = new Set(["UTC", "Etc/UTC", "GMT", "Etc/GMT"]);

interface Zone {
  readonly zone: string;
  /** How the answer calls it. */
  readonly name: string;
  /** Minutes east of UTC. */
  readonly offset: number;
}

/**
 * The zone of a process stays; one that was set by a file (`TZ=/usr/share/zoneinfo/Europe/Paris`) has no name. The first format of
 * a process takes 9 ms, several times as long as the rest of the call, and servers mostly run in UTC, which a date names as well.
 */
const localName = once((): string | undefined =>
  new Date().toString().endsWith("(Coordinated Universal Time)")
    ? "UTC"
    : new Intl.DateTimeFormat("en-US").resolvedOptions().timeZone,
);

function localZone(timestamp: number): Zone {
  const offset = -new Date(timestamp).getTimezoneOffset();
  const zone = localName() ?? (offset === 0 ? "UTC" : formatOffset(offset));
  return { zone, name: zone, offset };
}

function zoneOf(timezone: string, timestamp: number): Zone {
  const format = formatFor(timezone);
  const zone = format.resolvedOptions().timeZone;
  // The zone as requested, in its proper case: Intl would answer "Asia/Calcutta" for "Asia/Kolkata".
  const name = timezone.toLowerCase() === zone.toLowerCase() ? zone : timezone;
  return { zone, name, offset: offsetMinutes(format, timestamp) };
}

function formatFor(timezone: string): Intl.DateTimeFormat {
  if (isAmbiguous(timezone))
    throw unknownTimeZone(timezone, "This abbreviation is used for several time zones.");
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  } catch {
    throw unknownTimeZone(timezone, "", nearestTimeZone(timezone));
  }
}

const ianaAbbreviations: ReadonlySet<string> = new Set(
  "CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" "),
);

/** Three letters that are not an IANA name (CST, IST, BST) are ambiguous, but Intl would pick one zone. */
function isAmbiguous(timezone: string): boolean {
  return /^[a-z]{3}$/i.test(timezone) && !ianaAbbreviations.has(timezone.toUpperCase());
}

function unknownTimeZone(timezone: string, reason: string, near?: string): ToolValidationError {
  const advice = near ? `Did you mean "${near}"?` : 'Use an IANA name such as "Asia/Shanghai" or "UTC".';
  return new ToolValidationError(`Unknown time zone "${timezone}".`, {
    code: "VALUE_INVALID",
    hint: `${reason} ${advice}`.trim(),
    details: { argument: "timezone", ...(near !== undefined && { suggestion: near }) },
  });
}

/** Minutes east of UTC, from "GMT+05:30" or plain "GMT". */
function offsetMinutes(format: Intl.DateTimeFormat, timestamp: number): number {
  const name = format.formatToParts(timestamp).find((part) => part.type === "timeZoneName")?.value ?? "";
  const match = /([+-])(\d{2}):(\d{2})/.exec(name);
  if (match === null) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === "-" ? -minutes : minutes;
}

function formatOffset(minutes: number): string {
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** Of a local time. A format of Intl would cost more than the rest of the call. */
function weekday(iso: string): string {
  return weekdays[new Date(iso.slice(0, iso.indexOf("T"))).getUTCDay()] ?? "";
}

/** The IANA name that was probably meant: misspelled, or a city without its continent. */
function nearestTimeZone(name: string): string | undefined {
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  const byCity = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf("/") + 1), zone]));
  const city = name.slice(name.lastIndexOf("/") + 1).trim();
  return nearest(name.trim(), zones) ?? byCity.get(nearest(city, byCity.keys()) ?? "");
}
