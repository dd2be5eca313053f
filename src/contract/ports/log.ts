/** The levels of a log, from the least important. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Structured logging; fields are redacted before they leave. */
export type Log = Record<LogLevel, (message: string, fields?: Readonly<Record<string, unknown>>) => void>;
