import { isDeepStrictEqual } from "node:util";
import { readLooseJson } from "./loose-json.js";
import type { WrittenText } from "./raw-call.js";
import { Unreadable, type Reader } from "./reader.js";
import { readElementText, readOpenTag, takeCloseTag, type OpenTag } from "./xml-text.js";

/** The content of an element that is a call. */
export interface ElementBody {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly texts?: readonly (readonly [string, WrittenText])[] | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Another call is nested in it; its opening tag was just read. */
  readonly inner?: OpenTag | undefined;
}

const parameterTags = new Set(["parameter", "param", "argument", "arg"]);
const nameTags = new Set(["name", "tool_name", "tool", "function_name", "recipient_name"]);
const argumentsTags = new Set(["arguments", "parameters", "args", "input", "params", "tool_input"]);
const innerCalls = new Set(["invoke", "function", "tool_call", "function_call"]);
const maxDepth = 2;

/** Whether a tag can be nothing but an argument of a call. */
export function isArgumentTag(tag: OpenTag): boolean {
  if (tag.name === "arg_key") return true;
  return parameterTags.has(tag.name) && (tag.value ?? tag.attributes.get("name")) !== undefined;
}

interface Draft {
  name: string | undefined;
  /** If the tag itself names the tool, all elements in it are arguments, also one that is called id. */
  readonly takesId: boolean;
  id: string | undefined;
  values: Readonly<Record<string, unknown>> | undefined;
  readonly texts: Map<string, WrittenText>;
}

/** Read arguments that stand in tags of their own, up to the closing tag or the end of the text. */
export function readTexts(
  reader: Reader,
  tag: OpenTag,
  { name, depth }: { readonly name: string | undefined; readonly depth: number },
): ElementBody {
  const draft: Draft = {
    name,
    takesId: name === undefined,
    id: undefined,
    values: undefined,
    texts: new Map(),
  };
  for (;;) {
    reader.skipSpace();
    if (takeCloseTag(reader, tag.fullName)) return toBody(draft);
    if (reader.atEnd) return cutOff(draft, tag);
    if (closesAround(reader)) return unclosed(draft, tag);
    const child = readOpenTag(reader);
    if (child === undefined) throw notATag(reader, tag);
    if (isInnerCall(child, draft)) return { inner: child };
    readChild(reader, child, { draft, depth });
  }
}

const around = ["function_calls", "tool_calls", "tool_call"];

/** The closing tag of an element around this one: the writer forgot this one's own. */
function closesAround(reader: Reader): boolean {
  return around.some((name) => reader.sees(`</${name}>`));
}

/**
 * Arguments as one JSON object are whole where that is; of arguments in tags, more may have been meant. The end of an
 * `<invoke>` is missing where programs have it as a stop sequence, as they do with models that write that tag.
 */
function cutOff(draft: Draft, tag: OpenTag): ElementBody {
  if (draft.values !== undefined) return toBody(draft);
  if (tag.name === "invoke") return unclosed(draft, tag);
  throw new Unreadable("incomplete", `The text ends before </${tag.fullName}>.`);
}

/** What is whole counts where an element around it closes; an opening tag alone may be cut off, or a mere word. */
function unclosed(draft: Draft, tag: OpenTag): ElementBody {
  if (draft.texts.size > 0 || draft.values !== undefined) return toBody(draft);
  throw new Unreadable("incomplete", `<${tag.fullName}> does not close.`);
}

function toBody({ name, id, values, texts }: Draft): ElementBody {
  if (values === undefined) return { name, id, texts: [...texts] };
  if (texts.size === 0) return { name, id, values };
  throw writtenTwice();
}

function isInnerCall(child: OpenTag, draft: Draft): boolean {
  if (draft.name !== undefined || draft.texts.size > 0 || !innerCalls.has(child.name)) return false;
  // `<tool_call><function>read_file</function>` only names the tool.
  return child.name !== "function" || child.value !== undefined || child.attributes.has("name");
}

function readChild(
  reader: Reader,
  child: OpenTag,
  { draft, depth }: { readonly draft: Draft; readonly depth: number },
): void {
  if (child.twice !== undefined)
    throw new Unreadable("ambiguous", `<${child.fullName}> gives "${child.twice}" twice.`);
  const key = child.value ?? child.attributes.get("name");
  if (parameterTags.has(child.name) && key !== undefined) {
    const json = child.attributes.get("type") === "json";
    add(draft, key, { text: child.selfClosing ? "" : readElementText(reader, child.fullName), json });
  } else if (child.name === "arg_key") {
    readKeyAndValue(reader, child, draft);
  } else if (draft.name === undefined && (nameTags.has(child.name) || child.name === "function")) {
    draft.name = readElementText(reader, child.fullName).trim();
  } else if (child.name === "id" && draft.takesId && draft.texts.size === 0) {
    draft.id = readElementText(reader, child.fullName).trim();
  } else if (argumentsTags.has(child.name) && depth < maxDepth && draft.texts.size === 0) {
    readArguments(reader, child, { draft, depth });
  } else {
    add(draft, child.fullName, {
      text: child.selfClosing ? "" : readElementText(reader, child.fullName),
      json: false,
    });
  }
}

/** GLM's `<arg_key>k</arg_key><arg_value>v</arg_value>`. */
function readKeyAndValue(reader: Reader, child: OpenTag, draft: Draft): void {
  const key = readElementText(reader, child.fullName).trim();
  reader.skipSpace();
  const value = readOpenTag(reader);
  if (value?.name !== "arg_value")
    throw new Unreadable("malformed", `<arg_key>${key.slice(0, 40)} has no value.`);
  add(draft, key, { text: readElementText(reader, value.fullName), json: false });
}

/** The fault of arguments that are written in two ways: which of them counts cannot be told. */
export function writtenTwice(): Unreadable {
  return new Unreadable("ambiguous", "The call has its arguments as JSON, and more of them beside it.");
}

/** `<arguments>` with JSON or with tags; a plain text in it is the argument of that very name. */
function readArguments(
  reader: Reader,
  child: OpenTag,
  { draft, depth }: { readonly draft: Draft; readonly depth: number },
): void {
  if (child.selfClosing) return;
  const from = reader.pos;
  reader.skipSpace();
  if (reader.sees("{") && depth === 0) {
    const value = readLooseJson(reader, { end: `</${child.fullName}` });
    reader.match(/[\]}\s,;]+/y);
    if (!takeCloseTag(reader, child.fullName) && !reader.atEnd)
      throw new Unreadable("malformed", `Something else follows the JSON in <${child.fullName}>.`);
    if (draft.values !== undefined && !isDeepStrictEqual(draft.values, value)) throw writtenTwice();
    draft.values = value as Record<string, unknown>;
    return;
  }
  if (reader.sees("<") && !reader.sees("<![CDATA[")) {
    const inner = readTexts(reader, child, { name: "", depth: depth + 1 });
    for (const [key, value] of inner.texts ?? []) add(draft, key, value);
    return;
  }
  reader.pos = from;
  const text = readElementText(reader, child.fullName);
  if (text.trim() !== "") add(draft, child.fullName, { text, json: false });
}

function add({ texts }: Draft, key: string, value: WrittenText): void {
  const before = texts.get(key);
  if (before !== undefined && (before.text !== value.text || before.json !== value.json))
    throw new Unreadable(
      "ambiguous",
      `The argument "${key.slice(0, 40)}" occurs twice with different values.`,
    );
  texts.set(key, value);
}

function notATag(reader: Reader, tag: OpenTag): Unreadable {
  const found = JSON.stringify(reader.text.slice(reader.pos, reader.pos + 20));
  // An opening tag that is cut off is the end of the text, not a mistake in it.
  if (reader.sees("<") && !/[>\n]/.test(reader.text.slice(reader.pos, reader.pos + 200)))
    return new Unreadable("incomplete", `The text ends within <${tag.fullName}>.`);
  return new Unreadable("malformed", `<${tag.fullName}> contains ${found} between its arguments.`);
}
