import type { Log, LogLevel } from "../../contract/ports/log.js";

const order: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Where log lines go: one structured record each. */
export type LogSink = (record: Readonly<Record<string, unknown>>) => void;

export interface LogOptions {
  readonly level: LogLevel | "silent";
  readonly sink: LogSink;
  readonly now: () => number;
  readonly redact: <T>(value: T) => T;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A log with a minimum level; secrets are redacted. */
export function createLog({ level, sink, now, redact, fields }: LogOptions): Log {
  const minimum = level === "silent" ? order.length : order.indexOf(level);
  const write =
    (own: LogLevel) =>
    (message: string, extra?: Readonly<Record<string, unknown>>): void => {
      if (order.indexOf(own) < minimum) return;
      sink(redact({ ...extra, ...fields, level: own, time: now(), message }));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
