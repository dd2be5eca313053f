import { isSpace, Unreadable, type Reader } from "./reader.js";

/** An opening tag. */
export interface OpenTag {
  /** Without a prefix such as `antml:`. */
  readonly name: string;
  /** As it was written, for the closing tag. */
  readonly fullName: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** `<function=read_file>`: the part after the equals sign. */
  readonly value?: string | undefined;
  readonly selfClosing: boolean;
  /** An attribute that is given twice, with different values. */
  readonly twice?: string | undefined;
}

const maxTagChars = 65_536;

/** Read an opening tag that starts here; steps over it only where it is one. */
export function readOpenTag(reader: Reader): OpenTag | undefined {
  const from = reader.pos;
  const tag = tryOpenTag(reader);
  if (tag === undefined) reader.pos = from;
  return tag;
}

function tryOpenTag(reader: Reader): OpenTag | undefined {
  if (!reader.take("<")) return undefined;
  const fullName = reader.match(/[A-Za-z_][\w.:-]{0,127}/y);
  if (fullName === undefined) return undefined;
  const value = reader.take("=") ? readBareValue(reader) : undefined;
  const attributes = new Map<string, string>();
  const limit = reader.pos + maxTagChars;
  let twice: string | undefined;
  for (;;) {
    reader.skipSpace();
    if (reader.pos > limit) return undefined;
    const name = fullName.slice(fullName.lastIndexOf(":") + 1);
    if (reader.take("/>")) return { name, fullName, attributes, value, twice, selfClosing: true };
    if (reader.take(">")) return { name, fullName, attributes, value, twice, selfClosing: false };
    const key = reader.match(/[A-Za-z_][\w.:-]{0,127}/y);
    if (key === undefined) return undefined;
    reader.skipSpace();
    if (!reader.take("=")) return undefined;
    reader.skipSpace();
    const given = decodeText(readBareValue(reader));
    if ((attributes.get(key) ?? given) !== given) twice = key;
    attributes.set(key, given);
  }
}

/** An attribute's value, quoted or bare. */
function readBareValue(reader: Reader): string {
  const quote = reader.char;
  if (quote === '"' || quote === "'") {
    const from = reader.pos + 1;
    const end = reader.find(quote, from);
    if (end !== -1) {
      reader.pos = end + 1;
      return reader.text.slice(from, end);
    }
  }
  return reader.match(/[^\s<>"'=]{1,256}/y) ?? "";
}

/** Step over a closing tag of this name, if it is at this position, possibly after spaces. */
export function takeCloseTag(reader: Reader, fullName: string): boolean {
  const from = reader.pos;
  reader.skipSpace();
  if (reader.take(`</${fullName}`)) {
    reader.skipSpace();
    if (reader.take(">")) return true;
  }
  reader.pos = from;
  return false;
}

/** The text up to the closing tag, as the writer meant it. A CDATA section may hold the closing tag itself. */
export function readElementText(reader: Reader, fullName: string): string {
  const close = `</${fullName}>`;
  const from = reader.pos;
  const data = readWholeCdata(reader, fullName);
  if (data !== undefined) return data;
  reader.pos = from;
  const end = reader.find(close);
  if (end === -1) throw new Unreadable("incomplete", `The text ends before ${close}.`);
  const raw = reader.text.slice(from, end);
  if (holdsOpening(raw, fullName))
    throw new Unreadable(
      "ambiguous",
      `<${fullName}> is nested in <${fullName}>, so it is unclear where it ends; escape tags in arguments (&lt;) or use CDATA.`,
      { isEndless: true },
    );
  reader.pos = end + close.length;
  return decodeText(withoutOuterBreaks(raw));
}

function holdsOpening(raw: string, fullName: string): boolean {
  const open = `<${fullName}`;
  for (let at = raw.indexOf(open); at !== -1; at = raw.indexOf(open, at + 1))
    if (/[\s=>]/.test(raw.charAt(at + open.length))) return true;
  return false;
}

/** The text of an element that holds CDATA sections and nothing else. */
function readWholeCdata(reader: Reader, fullName: string): string | undefined {
  let data = "";
  let sections = 0;
  for (;;) {
    reader.skipSpace();
    if (!reader.take("<![CDATA[")) break;
    const end = reader.find("]]>");
    if (end === -1) throw new Unreadable("incomplete", "A CDATA section does not end.");
    data += reader.text.slice(reader.pos, end);
    reader.pos = end + 3;
    sections++;
  }
  return sections > 0 && takeCloseTag(reader, fullName) ? data : undefined;
}

/** One line break after the opening tag and one before the closing one are layout, not content. */
function withoutOuterBreaks(raw: string): string {
  const from = raw.startsWith("\r\n") ? 2 : raw.startsWith("\n") ? 1 : 0;
  let to = raw.length;
  // Spaces that only indent the closing tag go with its line break.
  let at = to - 1;
  while (at >= from && (raw[at] === " " || raw[at] === "\t")) at--;
  if (at >= from && raw[at] === "\n") to = raw[at - 1] === "\r" && at > from ? at - 1 : at;
  return raw.slice(from, to);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const entity = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g;

/**
 * The meaning of text between tags. Text that is well-formed XML is read as XML; text with a bare `<` or `&`
 * was written without escaping, so that what looks like an entity in it stands for itself.
 */
function decodeText(raw: string): string {
  if (!raw.includes("&")) return raw;
  if (raw.includes("<") || hasBareAmpersand(raw)) return raw;
  return raw.replace(entity, (whole, named?: string, decimal?: string, hex?: string) => {
    if (named !== undefined) return entities[named] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function hasBareAmpersand(raw: string): boolean {
  const pattern = /&(?:(?:lt|gt|amp|quot|apos)|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});/y;
  for (let at = raw.indexOf("&"); at !== -1; at = raw.indexOf("&", at + 1)) {
    pattern.lastIndex = at;
    if (!pattern.test(raw)) return true;
  }
  return false;
}

/** Text that `decodeText` reads back as it is, breaks at its edges included. */
export function encodeText(text: string): string {
  const escaped = text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
  const edges = [0, escaped.length - 1].filter((at) => isSpace(escaped.charAt(at)));
  if (edges.length === 0) return escaped;
  const [first] = edges;
  const lead = first === 0 ? `&#${escaped.charCodeAt(0)};` : escaped.charAt(0);
  if (escaped.length === 1) return lead;
  const last = escaped.length - 1;
  const tail = edges.includes(last) ? `&#${escaped.charCodeAt(last)};` : escaped.charAt(last);
  return `${lead}${escaped.slice(1, last)}${tail}`;
}

/** Text for an attribute in double quotes. */
export function encodeAttribute(text: string): string {
  return encodeText(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}
