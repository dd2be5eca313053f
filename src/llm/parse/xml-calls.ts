import { isRecord } from "../../contract/is-record.js";
import { callsOfJson } from "./json-calls.js";
import { readLooseJson, skipFiller } from "./loose-json.js";
import { readPythonCalls } from "./python-calls.js";
import type { KnownNames, RawCall } from "./raw-call.js";
import { Unreadable, type Reader } from "./reader.js";
import { isArgumentTag, readTexts, writtenTwice, type ElementBody } from "./xml-arguments.js";
import { readOpenTag, takeCloseTag, type OpenTag } from "./xml-text.js";

/** Elements that hold calls and nothing else. */
const containers = new Set(["function_calls", "tool_calls", "toolcalls", "invocations"]);

/** Elements that are a call, whatever their content. */
const callElements = new Set([
  "tool_call",
  "toolcall",
  "TOOLCALL",
  "tool_use",
  "function_call",
  "invoke",
  "use_tool",
  "call_tool",
]);

/** Ordinary words that are a call where they name a tool. */
const namedElements = new Set(["function", "tool", "call"]);

const maxNesting = 4;

/** Whether an opening tag starts calls. Ordinary words (`<function>`, `<tool>`) do so only where they name one. */
export function opensCalls(tag: OpenTag, names: KnownNames): boolean {
  if (containers.has(tag.name) || callElements.has(tag.name)) return true;
  if (tag.name === "function" || tag.name === "tool") return nameIn(tag) !== undefined;
  return names.has(tag.fullName);
}

/** Whether a tag that opens calls could as well be a word in a sentence: a tool's bare name. */
export function isOwnTag(tag: OpenTag): boolean {
  if (containers.has(tag.name) || callElements.has(tag.name) || tag.value !== undefined) return false;
  return !namedElements.has(tag.name) || nameIn(tag) === undefined;
}

/** Read the calls of an element whose opening tag was just read. */
export function readXmlCalls(reader: Reader, tag: OpenTag, names: KnownNames): RawCall[] {
  return readElement(reader, tag, { names, depth: 0 });
}

interface Nesting {
  readonly names: KnownNames;
  readonly depth: number;
}

function readElement(reader: Reader, tag: OpenTag, place: Nesting): RawCall[] {
  if (place.depth > maxNesting) throw new Unreadable("too_deep", "Calls stand within calls.");
  if (containers.has(tag.name)) return readContainer(reader, tag, place);
  // In a container, an ordinary word without a name only surrounds a call, unless a tool is called so.
  const own = isOwnTag(tag) && (!namedElements.has(tag.name) || place.names.has(tag.fullName));
  const name = own ? tag.fullName : nameIn(tag);
  if (tag.twice !== undefined || (!own && namesIn(tag).size > 1))
    throw new Unreadable("ambiguous", `<${tag.fullName}> gives "${tag.twice ?? "name"}" twice.`);
  const id = tag.attributes.get("id") ?? tag.attributes.get("call_id");
  if (tag.selfClosing) return [emptyCall(tag, name, own)];
  skipFillerBefore(reader);
  if (reader.sees("{") || reader.sees("[{") || reader.sees("```")) {
    const calls = readJsonBody(reader, tag, { ...place, name });
    return id === undefined ? calls : calls.map((call) => ({ ...call, id: call.id ?? id }));
  }
  if (name === undefined && !reader.sees("<")) return readNamed(reader, tag, place);
  return finishTexts(readTexts(reader, tag, { name, depth: 0 }), { reader, tag, place, id });
}

/** Space only: a comment sign may start the text of an argument. */
function skipFillerBefore(reader: Reader): void {
  const from = reader.pos;
  reader.skipSpace();
  if (!/[<{[`\w]/.test(reader.char)) reader.pos = from;
}

function readContainer(reader: Reader, tag: OpenTag, place: Nesting): RawCall[] {
  const calls: RawCall[] = [];
  for (;;) {
    reader.skipSpace();
    if (reader.atEnd || takeCloseTag(reader, tag.fullName)) return calls;
    if (reader.sees("{") || reader.sees("[")) {
      calls.push(...readJsonBody(reader, tag, { ...place, name: undefined }));
      return calls;
    }
    const inner = readOpenTag(reader);
    if (inner === undefined || !mayStandInContainer(inner, place.names))
      throw new Unreadable("malformed", `<${tag.fullName}> contains something that is not a call.`);
    calls.push(...readElement(reader, inner, { ...place, depth: place.depth + 1 }));
  }
}

function mayStandInContainer(tag: OpenTag, names: KnownNames): boolean {
  return opensCalls(tag, names) || tag.name === "function" || tag.name === "tool" || tag.name === "call";
}

/** JSON within a tag: a whole call, or only the arguments where the tag names the tool. */
function readJsonBody(
  reader: Reader,
  tag: OpenTag,
  place: Nesting & { name: string | undefined },
): RawCall[] {
  const end = `</${tag.fullName}`;
  const calls: RawCall[] = [];
  reader.match(/```[\w-]{0,32}[ \t]{0,8}\r?\n/y);
  do {
    const value = readLooseJson(reader, { end });
    calls.push(...callsOfBody(value, tag, place));
    // Brackets too many change nothing of what was read.
    reader.match(/[\]}\s,;]+/y);
  } while (reader.sees("{") && place.name === undefined);
  reader.match(/```\s*/y);
  if (takeCloseTag(reader, tag.fullName) || reader.atEnd) return calls;
  if (!reader.sees("<"))
    throw new Unreadable("malformed", `Something else follows the JSON in <${tag.fullName}>.`);
  if (hasTagsToo(reader, tag, place.names)) throw writtenTwice();
  return calls;
}

/** Whether tags follow before the element's own end. Where that is missing, the JSON is all of it. */
function hasTagsToo(reader: Reader, { fullName }: OpenTag, names: KnownNames): boolean {
  const from = reader.pos;
  const child = readOpenTag(reader);
  reader.pos = from;
  if (child === undefined || opensCalls(child, names)) return false;
  if (isArgumentTag(child)) return true;
  const next = reader.text.indexOf(`<${fullName}`, from);
  return reader.text.slice(from, next === -1 ? undefined : next).includes(`</${fullName}>`);
}

function callsOfBody(
  value: unknown,
  tag: OpenTag,
  { name, names }: Nesting & { name: string | undefined },
): RawCall[] {
  const dialect = `<${tag.name}> with JSON`;
  if (name !== undefined && isRecord(value)) return [{ name, values: value, dialect }];
  const calls = callsOfJson(value, { names, dialect, explicit: true });
  if (calls === undefined || name !== undefined)
    throw new Unreadable("malformed", `The JSON in <${tag.fullName}> is not a call: it has no tool name.`);
  return calls;
}

/** `<tool_call>name …`: the name comes first, then arguments as tags, as JSON or in brackets. */
function readNamed(reader: Reader, tag: OpenTag, place: Nesting): RawCall[] {
  const from = reader.pos;
  const python = readPythonCalls(reader, `<${tag.name}> with Python`);
  if (python !== undefined) {
    if (takeCloseTag(reader, tag.fullName) || reader.atEnd) return python;
    throw new Unreadable("malformed", `Something else follows the call in <${tag.fullName}>.`);
  }
  reader.pos = from;
  const name = reader.match(/[A-Za-z_][\w.:-]{0,255}/y);
  skipFiller(reader);
  if (name !== undefined && reader.sees("{")) return readJsonBody(reader, tag, { ...place, name });
  if (name !== undefined && (reader.sees("<") || reader.atEnd))
    return finishTexts(readTexts(reader, tag, { name, depth: 0 }), { reader, tag, place, id: undefined });
  throw new Unreadable("malformed", `<${tag.fullName}> contains text that is not a call.`);
}

function finishTexts(
  body: ElementBody,
  { reader, tag, place, id }: { reader: Reader; tag: OpenTag; place: Nesting; id: string | undefined },
): RawCall[] {
  const dialect = `<${tag.name}> with tags`;
  if (body.inner !== undefined) {
    const calls = readElement(reader, body.inner, { ...place, depth: place.depth + 1 });
    // More calls may stand beside it in one element.
    return [...calls, ...readContainer(reader, tag, place)];
  }
  if (body.name === undefined) throw new Unreadable("malformed", `<${tag.fullName}> does not name a tool.`);
  if (body.values !== undefined)
    return [{ name: body.name, values: body.values, dialect, id: id ?? body.id }];
  return [{ name: body.name, texts: body.texts, dialect, id: id ?? body.id }];
}

function emptyCall(tag: OpenTag, name: string | undefined, own: boolean): RawCall {
  if (name === undefined) throw new Unreadable("malformed", `<${tag.fullName}/> does not name a tool.`);
  const texts = own ? [...tag.attributes].map(([key, text]) => [key, { text, json: false }] as const) : [];
  return { name, texts, dialect: `<${tag.name}/>`, id: tag.attributes.get("id") };
}

function nameIn(tag: OpenTag): string | undefined {
  const [name] = namesIn(tag);
  return name;
}

function namesIn({ attributes, value }: OpenTag): ReadonlySet<string> {
  const names = [value, attributes.get("name"), attributes.get("tool"), attributes.get("function")];
  return new Set(names.filter((name): name is string => name !== undefined && name !== ""));
}
