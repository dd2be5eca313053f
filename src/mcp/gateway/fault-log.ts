import { cleanText } from "./clean-text.js";

/** A fault of a server and how often it occurred. */
export interface ServerFault {
  readonly message: string;
  readonly count: number;
  readonly at: number;
}

/** Keeps the last faults and output lines of a server. */
export interface FaultLog {
  add(message: string): void;
  addOutput(line: string): void;
  faults(): readonly ServerFault[];
  output(): readonly string[];
}

/**
 * Make a log of the last 20 different faults and 50 lines.
 *
 * @param onLine Hears every line of it, to keep it longer.
 */
export function createFaultLog(
  now: () => number,
  hide: (text: string) => string,
  onLine?: (line: string) => void,
): FaultLog {
  const faults = new Map<string, ServerFault>();
  const words: string[] = [];
  const shorten = (text: string): string => hide(cleanText(text).text.slice(0, 500).toWellFormed());
  return {
    add(message) {
      const text = shorten(message);
      onLine?.(`[tenon] ${text}`);
      const count = (faults.get(text)?.count ?? 0) + 1;
      faults.delete(text);
      faults.set(text, { message: text, count, at: now() });
      const [oldest] = faults.keys();
      if (faults.size > 20 && oldest !== undefined) faults.delete(oldest);
    },
    addOutput(line) {
      const text = shorten(line);
      onLine?.(text);
      words.push(text);
      if (words.length > 50) words.shift();
    },
    faults: () => [...faults.values()],
    output: () => words,
  };
}
