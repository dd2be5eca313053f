/** A place in a text, 1-based. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A fault found while a text was parsed. */
export interface ParseFault {
  readonly offset: number;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What a parser makes of a text: plain data, and where each part of it stands. */
export interface ParsedText {
  readonly value: unknown;
  readonly faults: readonly ParseFault[];
  /** Offsets by `pathKey`: of the key, where there is one, and of the value. */
  readonly offsets: ReadonlyMap<string, { readonly key?: number; readonly value: number }>;
}

/** Limits that no configuration of a person reaches, but a hostile file does. */
export const sourceLimits = { bytes: 1024 * 1024, depth: 64, nodes: 50_000, tokens: 200_000 } as const;

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a key would reach into the prototypes of JavaScript. */
export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

export function pathKey(path: readonly PropertyKey[]): string {
  return JSON.stringify(path.map((part) => (typeof part === "number" ? part : String(part))));
}

/** Turn offsets of a text into lines and columns. */
export function positionsIn(text: string): (offset: number) => TextPosition {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
