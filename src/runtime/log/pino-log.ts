import { createRequire } from "node:module";
import type * as pinoModule from "pino";
import type { LogLevel } from "../../contract/ports/log.js";
import type { LogSink } from "./create-log.js";
import { checkKeys } from "../../schema/check-keys.js";

/** Where `pinoLog` writes, and how. */
export interface PinoLogOptions {
  /** Minimum level; the level of each tool is applied before. @default "debug" */
  readonly level?: LogLevel | undefined;
  /** A file to append to; its folder is created. @default standard error */
  readonly file?: string | undefined;
  /** Readable lines instead of JSON. @default false */
  readonly pretty?: boolean | undefined;
  /** Where lines go instead of a file. */
  readonly destination?: { write(line: string): unknown } | undefined;
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/**
 * A sink for `createTenon({ log })` that writes one JSON object per line with pino.
 *
 * @example
 * createTenon({ log: pinoLog({ file: "logs/tenon.log" }) });
 */
export function pinoLog(options: PinoLogOptions = {}): LogSink {
  checkKeys(options, { level: true, file: true, pretty: true, destination: true }, "pinoLog");
  let logger: pinoModule.Logger | undefined;
  const minimum = levels.indexOf(options.level ?? "debug");
  return (record) => {
    const level = toLevel(record["level"]);
    if (levels.indexOf(level) < minimum) return;
    logger ??= openLogger(options);
    const { level: _, message, ...fields } = record;
    logger[level](fields, String(message));
  };
}

function toLevel(level: unknown): LogLevel {
  return levels.includes(level as LogLevel) ? (level as LogLevel) : "info";
}

function openLogger(options: PinoLogOptions): pinoModule.Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof pinoModule;
  const target =
    options.destination ?? pino.destination({ dest: options.file ?? 2, mkdir: true, sync: true });
  const destination =
    options.pretty === true ? { write: (line: string) => target.write(prettyLine(line)) } : target;
  return pino(
    {
      level: "debug",
      base: null,
      messageKey: "message",
      timestamp: false, // records carry the time of Tenon's clock
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/** `12:30:01.250 WARN  read_file  message  key=value`, without control characters that could rewrite a terminal. */
function prettyLine(line: string): string {
  const { level, time, message, toolName, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const at = typeof time === "number" ? new Date(time).toISOString().slice(11, 23) : "";
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const parts = [at, String(level).toUpperCase().padEnd(5), toolName, message, rest.join(" ")];
  const text = parts.filter((part) => part !== undefined && part !== "").join("  ");
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  return `${text.replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, "\u{fffd}")}\n`;
}
