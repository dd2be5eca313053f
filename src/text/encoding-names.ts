import { ToolValidationError } from "../contract/errors.js";
import { loadIconv } from "./libraries.js";

/** How the characters of an encoding lie in its bytes; each family is mapped to offsets in its own way. */
export type EncodingFamily = "utf8" | "utf16" | "single" | "multi" | "whole" | "stateful";

export interface Encoding {
  readonly name: string;
  readonly family: EncodingFamily;
}

/** Find an encoding by any of its names ("UTF-8", "sjis", "cp1252"); `undefined` where there is none. */
export function findEncoding(name: string): Encoding | undefined {
  const key = name.toLowerCase().replaceAll(/[^0-9a-z]/g, "");
  const known = ownEncodings.get(key);
  if (known !== undefined) return known;
  const iconv = loadIconv();
  if (key === "" || notText.has(key) || !iconv.encodingExists(name)) return undefined;
  return fromTables(iconv.encodings, key);
}

/** Find an encoding or say which there are. */
export function requireEncoding(name: string): Encoding {
  const encoding = findEncoding(name);
  if (encoding !== undefined) return encoding;
  throw new ToolValidationError(`The encoding ${JSON.stringify(name.slice(0, 60))} is not known.`, {
    code: "VALUE_INVALID",
    hint: "Use auto, utf8, utf16le, utf16be, latin1, windows-1252, gb18030, shift_jis, euc-kr, big5 or another common name.",
  });
}

/** What iconv-lite offers besides text. */
const notText: ReadonlySet<string> = new Set(["base64", "hex"]);

/** Those that need no tables, and one that only the platform can read. */
const ownEncodings: ReadonlyMap<string, Encoding> = new Map(
  (
    [
      ["utf8", "utf8", ["utf8", "unicode11utf8", "cputf8", "65001", "cp65001"]],
      ["ascii", "single", ["ascii", "usascii", "us"]],
      ["latin1", "single", ["latin1", "iso88591", "l1", "binary", "28591", "cp28591"]],
      ["utf16le", "utf16", ["utf16le", "utf16", "ucs2", "ucs2le", "unicode", "unicodelittle"]],
      ["utf16be", "utf16", ["utf16be", "ucs2be", "unicodebig"]],
      ["utf32le", "whole", ["utf32le", "utf32", "ucs4", "ucs4le"]],
      ["utf32be", "whole", ["utf32be", "ucs4be"]],
      ["iso-2022-jp", "stateful", ["iso2022jp", "csiso2022jp"]],
    ] as const
  ).flatMap(([name, family, keys]) => keys.map((key) => [key, { name, family }] as const)),
);

function fromTables(tables: ReturnType<typeof loadIconv>["encodings"], start: string): Encoding | undefined {
  let key = start;
  let entry = tables[key];
  while (typeof entry === "string") {
    key = entry;
    entry = tables[key];
  }
  return ownEncodings.get(key) ?? { name: labelOf(key), family: familyOf(key, entry?.type) };
}

function familyOf(key: string, type: unknown): EncodingFamily {
  if (key.startsWith("utf7")) return "stateful";
  if (type === "_sbcs") return "single";
  return type === "_dbcs" ? "multi" : "whole";
}

/** The spelling that the web's standards use, which iconv-lite understands too. */
function labelOf(key: string): string {
  const numbered = /^(windows|iso8859|koi8)([0-9a-z]+)$/.exec(key);
  if (numbered !== null) return `${numbered[1] === "iso8859" ? "iso-8859" : numbered[1]}-${numbered[2]}`;
  return usualSpellings.get(key) ?? key;
}

const usualSpellings: ReadonlyMap<string, string> = new Map([
  ["shiftjis", "shift_jis"],
  ["eucjp", "euc-jp"],
  ["cp949", "euc-kr"],
  ["cp936", "gbk"],
  ["cp950", "cp950"],
  ["big5hkscs", "big5"],
]);
