import type { LogSink } from "../runtime/log/create-log.js";
import { toVisibleLine } from "../text/visible-text.js";
import type { Terminal } from "./command-line.js";

/** What a program may print before the rest of it is left out: the person wants to see the answer of a command. */
const maxProgramLines = 20;

/** Log lines for the person at the terminal: `tenon: plugin words: ready (3 tools)`. */
export function personLog(terminal: Terminal): LogSink {
  const printed = new Map<string, number>();
  const show = (line: string): void => void terminal.stderr.write(`tenon: ${toVisibleLine(line)}\n`);
  return ({ stream, ...record }) => {
    // Ctrl-C ends the programs that Tenon runs too; what follows from that is no news.
    if (terminal.interrupted.aborted) return;
    const lines = stream === undefined ? 0 : (printed.get(String(record["plugin"])) ?? 0) + 1;
    if (lines > 0) printed.set(String(record["plugin"]), lines);
    if (lines <= maxProgramLines) show(lineOf(record));
    else if (lines === maxProgramLines + 1)
      show(
        lineOf({
          ...record,
          message: "its further output is not shown (logging.file in the configuration keeps it)",
        }),
      );
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
