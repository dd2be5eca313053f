import { isRecord } from "../contract/is-record.js";
import { readJson } from "../schema/read-json.js";

/** A JSON file as a host reads it: comments and trailing commas are allowed. */
export interface JsonText {
  readonly text: string;
  /** The same text without comments and trailing commas, character for character in the same place. */
  readonly plain: string;
  readonly value: unknown;
  /** Where the values begin, by their paths as JSON. */
  readonly starts: ReadonlyMap<string, number>;
}

/** Read JSON with comments and trailing commas. @throws JsonFault */
export function parseJsonText(source: string): JsonText {
  const text = source.trim() === "" ? "{}\n" : source;
  const blank = (part: string): string => (part.startsWith('"') ? part : part.replaceAll(/[^\r\n]/g, " "));
  const plain = text
    .replace(/^\uFEFF/, " ")
    .replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[^]*?\*\//g, blank)
    .replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, blank);
  const starts = new Map<string, number>();
  const value = readJson(plain, {
    onValue: (path, position) => void (path.length < 3 && starts.set(JSON.stringify(path), position)),
    onKey: () => true,
  });
  return { text, plain, value, starts };
}

/** Set a value below one or two names; everything else in the text stays as it is. `undefined` where the path leads elsewhere. */
export function setInJsonText(json: JsonText, path: readonly string[], value: unknown): string | undefined {
  const { starts } = json;
  let there = json.value;
  for (const [depth, name] of path.entries()) {
    if (!isRecord(there)) return undefined;
    const start = starts.get(JSON.stringify(path.slice(0, depth))) ?? 0;
    if (!Object.hasOwn(there, name)) {
      const rest = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      return insertEntry(json, start, { name, value: rest });
    }
    there = there[name];
  }
  const start = starts.get(JSON.stringify(path)) ?? 0;
  const end = endOfValue(json.plain, start);
  const shown = indented(value, indentAt(json.text, start), unitOf(json.text));
  return `${json.text.slice(0, start)}${shown}${json.text.slice(end)}`;
}

interface Entry {
  readonly name: string;
  readonly value: unknown;
}

/** Behind the last entry of an object, and behind the comment on the line of that one. */
function insertEntry({ text, plain }: JsonText, start: number, { name, value }: Entry): string {
  const close = endOfValue(plain, start) - 1;
  const last = plain.slice(0, close).trimEnd().length;
  const isEmpty = last === start + 1;
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  const lineEnd = text.indexOf(line, last);
  const at = lineEnd === -1 || lineEnd > close ? close : lineEnd;
  const hasComma = /^\s*,/.test(text.slice(last));
  const outer = indentAt(text, start);
  const inner = outer + unitOf(text);
  const entry = `${JSON.stringify(name)}: ${indented(value, inner, unitOf(text))}`;
  const before = `${text.slice(0, last)}${isEmpty || hasComma ? "" : ","}${text.slice(last, at).trimEnd()}`;
  const after = at === close ? `\n${outer}${text.slice(close)}` : text.slice(at);
  return `${before}\n${inner}${entry}${hasComma ? "," : ""}${after}`.replaceAll(/\r?\n/g, line);
}

function indented(value: unknown, indent: string, unit: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll("\n", `\n${indent}`);
}

function indentAt(text: string, position: number): string {
  return /[ \t]*/.exec(text.slice(text.lastIndexOf("\n", position) + 1))?.[0] ?? "";
}

function unitOf(text: string): string {
  return /^([ \t]+)["}]/m.exec(text)?.[1] ?? "  ";
}

/** Where a value ends, in JSON without comments. */
function endOfValue(plain: string, start: number): number {
  let depth = 0;
  for (const { 0: part, index } of plain.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]|[^\s{}[\]",:]+/g)) {
    if (part === "{" || part === "[") depth += 1;
    if (part === "}" || part === "]") depth -= 1;
    if (depth === 0) return start + index + part.length;
  }
  return plain.length;
}
