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

/** A log with a least level; secrets are hidden before a record leaves. */
export function createLog({ level, sink, now, redact, fields }: LogOptions): Log {
  const least = level === "silent" ? order.length : order.indexOf(level);
  const write =
    (own: LogLevel) =>
    (message: string, extra?: Readonly<Record<string, unknown>>): void => {
      if (order.indexOf(own) < least) return;
      sink(redact({ ...extra, ...fields, level: own, time: now(), message }));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
