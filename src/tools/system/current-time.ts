import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { nearestTimeZone } from "./nearest-time-zone.js";

/** Tells the time now, in a time zone. */
export const currentTime = defineTool({
  name: "current_time",
  description: "Tell the date and time now, in a time zone or in that of this machine.",
  category: "system",
  annotations: { title: "Current time", readOnly: true, idempotent: true },
  examples: [{ arguments: {} }, { arguments: { timezone: "Asia/Shanghai" } }],
  input: z.object({
    timezone: z
      .string()
      .max(64)
      .optional()
      .describe('IANA name such as "Asia/Shanghai" or "UTC"; the zone of this machine if left out.'),
  }),
  output: z.object({
    timestamp: z.number().describe("Unix time in milliseconds."),
    iso: z.string().describe("ISO 8601, with the zone's offset."),
    timezone: z.string(),
  }),
  execute: ({ timezone }, { clock }) => timeIn(clock.now(), timezone),
  render: ({ timestamp, iso, timezone }) => `${iso} (${weekday(timestamp, timezone)}, ${timezone})`,
});

interface ZonedTime {
  readonly timestamp: number;
  readonly iso: string;
  readonly timezone: string;
}

function timeIn(timestamp: number, wanted: string | undefined): ZonedTime {
  const format = formatFor(wanted);
  const zone = format.resolvedOptions().timeZone;
  const offset = offsetMinutes(format, timestamp);
  // Shifting the instant by the offset and writing it as if it were UTC gives the zone's wall clock.
  const wallClock = new Date(timestamp + offset * 60_000).toISOString().slice(0, -1);
  const iso = wallClock + (utcNames.has(zone) ? "Z" : toOffset(offset));
  return { timestamp, iso, timezone: nameOf(zone, wanted) };
}

const utcNames: ReadonlySet<string> = new Set(["UTC", "Etc/UTC", "GMT", "Etc/GMT"]);

function formatFor(timezone: string | undefined): Intl.DateTimeFormat {
  if (timezone !== undefined && isAmbiguous(timezone)) {
    throw badZone(timezone, "Such abbreviations mean several zones.");
  }
  try {
    return new Intl.DateTimeFormat("en-US", {
      ...(timezone !== undefined && { timeZone: timezone }),
      timeZoneName: "longOffset",
    });
  } catch {
    throw badZone(timezone ?? "", "", nearestTimeZone(timezone ?? ""));
  }
}

const ianaAbbreviations: ReadonlySet<string> = new Set(
  "CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" "),
);

/** Three letters that are no IANA name (CST, IST, BST) mean several zones, yet the library picks one. */
function isAmbiguous(timezone: string): boolean {
  return /^[a-z]{3}$/i.test(timezone) && !ianaAbbreviations.has(timezone.toUpperCase());
}

function badZone(timezone: string, reason: string, near?: string): ToolValidationError {
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

function toOffset(minutes: number): string {
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

/** The zone as it was asked for, in its proper case; the library would answer "Asia/Calcutta" for "Asia/Kolkata". */
function nameOf(zone: string, wanted: string | undefined): string {
  return wanted === undefined || wanted.toLowerCase() === zone.toLowerCase() ? zone : wanted;
}

function weekday(timestamp: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-US", { timeZone, weekday: "long" }).format(timestamp);
}
