import type { LogSink } from "../runtime/log/create-log.js";
import { toVisibleLine } from "../text/visible-text.js";
import type { Terminal } from "./command-line.js";

/** Log lines for the person at the terminal: `tenon: plugin words: ready (3 tools)`. */
export function personLog(terminal: Terminal): LogSink {
  return (record) => {
    // Ctrl-C ends the programs that Tenon runs too; what follows from that is no news.
    if (!terminal.interrupted.aborted) terminal.stderr.write(`tenon: ${toVisibleLine(lineOf(record))}\n`);
  };
}

function lineOf(record: Readonly<Record<string, unknown>>): string {
  const { level, time: _, message, plugin, toolName, ...fields } = record;
  const source =
    typeof plugin === "string" ? `plugin ${plugin}: ` : typeof toolName === "string" ? `${toolName}: ` : "";
  const urgency = level === "error" || level === "warn" ? `${level === "warn" ? "warning" : level}: ` : "";
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined && !isEmpty(value))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return `${source}${urgency}${String(message)}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
