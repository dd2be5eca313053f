import { readLooseJson } from "./loose-json.js";
import type { KnownNames, RawCall } from "./raw-call.js";
import { Unreadable, type Reader } from "./reader.js";

/** A piece of text in backticks. */
export interface Fence {
  /** `calls`: made for calls. `json`: may hold calls. `other`: quotes something. */
  readonly kind: "calls" | "json" | "other";
  readonly language: string;
  readonly inside: number;
  /** After the closing line. A call may go on beyond it where backticks stand within its arguments. */
  readonly end: number;
  /** Whether the closing backticks stand at the reader; steps over them. */
  readonly closesAt: (reader: Reader) => boolean;
}

const callLanguages = /^(?:tool_?calls?|tool-calls?|tool_code|tool_use|function_?calls?|tool)$/i;
const dataLanguages = /^(?:|json|jsonc|json5|xml)$/i;

/** A code fence that starts here; nothing is stepped over. */
export function readFence(reader: Reader): Fence | undefined {
  const { text } = reader;
  const start = reader.pos;
  if (!reader.startsLine) return undefined;
  const marks = reader.match(/`{3,64}|~{3,64}/y);
  const language = marks === undefined ? undefined : reader.match(/[ \t]{0,16}[\w+#.-]{0,32}/y)?.trim();
  const isLine = marks !== undefined && (reader.endsLine || (language !== "" && /\s/.test(reader.char)));
  if (marks === undefined || language === undefined || !isLine) {
    reader.pos = start;
    return undefined;
  }
  const lineEnd = reader.endsLine ? reader.find("\n") : reader.pos;
  const inside = lineEnd === -1 ? text.length : reader.endsLine ? lineEnd + 1 : reader.pos;
  const end = findEnd(reader, marks, inside);
  reader.pos = start;
  const kind = callLanguages.test(language) ? "calls" : dataLanguages.test(language) ? "json" : "other";
  const closesAt = (at: Reader): boolean => at.startsLine && at.take(marks);
  return { kind, language, inside, end, closesAt };
}

/** After the line that closes a fence, or the end of the text. */
function findEnd(reader: Reader, marks: string, from: number): number {
  const back = reader.pos;
  try {
    for (let at = reader.find(marks, from); at !== -1; at = reader.find(marks, at + 1)) {
      reader.pos = at;
      if (!reader.startsLine) continue;
      reader.pos = at + marks.length;
      while (reader.char === marks.charAt(0)) reader.pos++;
      if (reader.endsLine) return reader.pos;
    }
    return reader.text.length;
  } finally {
    reader.pos = back;
  }
}

const maxSpan = 2000;

/** Code within a line: it quotes. */
export function readSpan(reader: Reader): Omit<Fence, "kind"> | undefined {
  const start = reader.pos;
  const marks = reader.match(/`{1,64}/y);
  if (marks === undefined) return undefined;
  const inside = reader.pos;
  const line = reader.text.slice(inside, inside + maxSpan);
  reader.spend(line.length);
  reader.pos = start;
  for (let at = line.indexOf(marks); at !== -1; at = line.indexOf(marks, at + 1)) {
    let after = at + marks.length;
    if (line[after] !== "`") {
      const end = inside + after;
      return {
        language: "",
        inside,
        end,
        closesAt: (r) => r.pos >= inside + at && r.take(marks),
      };
    }
    while (line[after] === "`") after++;
    at = after - 1;
  }
  return undefined;
}

/** `Action: name` and on the next line `Action Input: {…}`; `undefined` if it is not a call. */
export function readReAct(reader: Reader, names: KnownNames): RawCall[] | undefined {
  const start = reader.pos;
  reader.take("Action:");
  const name = reader.match(/[ \t]{0,8}[A-Za-z_][\w.:-]{0,127}[ \t]{0,8}\r?\n/y)?.trim();
  reader.match(/[ \t]{0,8}/y);
  if (name === undefined || (names.closed && !names.has(name)) || !reader.take("Action Input:")) {
    reader.pos = start;
    return undefined;
  }
  reader.skipSpace();
  const value = readLooseJson(reader);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Unreadable("malformed", `The "Action Input" of "${name}" is not an object.`);
  return [{ name, values: value as Record<string, unknown>, dialect: "Action" }];
}
