import { isUtf8 } from "node:buffer";
import { sequenceLength } from "./decode-utf8.js";
import { detectLegacy } from "./detect-legacy.js";
import { guessUtf16 } from "./utf16-guess.js";

/** What the first bytes of a file tell about its encoding. */
export interface ByteOrderMark {
  readonly encoding: string;
  readonly length: number;
}

/** Find the encoding of a file without a BOM. */
export function detectEncoding(bytes: Buffer): string {
  const wide = bytes.subarray(0, 1 << 16).includes(0) ? guessUtf16(bytes) : undefined;
  if (wide !== undefined) return wide;
  if (isUtf8(bytes)) return bytes.includes(escape) && switchesSets(bytes) ? "iso-2022-jp" : "utf8";
  return isMostlyUtf8(bytes) ? "utf8" : detectLegacy(bytes);
}

/** Read the BOM, if there is one, of any encoding or of those whose name begins so. */
export function readBom(bytes: Uint8Array, encoding = ""): ByteOrderMark | undefined {
  for (const bom of boms) if (bom.encoding.startsWith(encoding) && beginsWith(bytes, bom.mark)) return bom;
  return undefined;
}

export function beginsWith(bytes: Uint8Array, mark: ArrayLike<number>): boolean {
  for (let at = 0; at < mark.length; at += 1) if (bytes[at] !== mark[at]) return false;
  return true;
}

/** The BOM that a file of that encoding begins with. */
export function bomOf(encoding: string): Uint8Array | undefined {
  const found = boms.find((bom) => bom.encoding === encoding);
  return found && Uint8Array.from(found.mark);
}

/** Longer marks first: that of UTF-32 begins like that of UTF-16. */
const boms: readonly (ByteOrderMark & { readonly mark: readonly number[] })[] = [
  { encoding: "utf8", length: 3, mark: [0xef, 0xbb, 0xbf] },
  { encoding: "utf32le", length: 4, mark: [0xff, 0xfe, 0, 0] },
  { encoding: "utf32be", length: 4, mark: [0, 0, 0xfe, 0xff] },
  { encoding: "utf16le", length: 2, mark: [0xff, 0xfe] },
  { encoding: "utf16be", length: 2, mark: [0xfe, 0xff] },
  { encoding: "gb18030", length: 4, mark: [0x84, 0x31, 0x95, 0x33] },
];

const escape = 0x1b;

/** ISO-2022-JP is written in ASCII bytes and escapes: "ESC $ B" opens kanji and "ESC ( B" closes them. */
function switchesSets(bytes: Buffer): boolean {
  const open = bytes.indexOf("\u001B$B", 0, "latin1");
  const start = open === -1 ? bytes.indexOf("\u001B$@", 0, "latin1") : open;
  return start !== -1 && bytes.indexOf("\u001B(", start, "latin1") !== -1;
}

/** As many runs of bytes beyond ASCII tell. */
const maxRuns = 20_000;

/**
 * A few broken bytes among good ones: a UTF-8 file with a wound, not another encoding. In other encodings
 * good sequences come about by chance, but then beside broken ones: what counts is runs without a fault.
 */
function isMostlyUtf8(bytes: Buffer): boolean {
  const seen = { cleanRuns: 0, brokenRuns: 0, goodBytes: 0, brokenBytes: 0 };
  const end = bytes.length;
  for (let at = 0; at < end && seen.cleanRuns + seen.brokenRuns < maxRuns; at += 1) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    let broken = 0;
    for (; at < end && (bytes[at] ?? 0) >= 0x80;) {
      const size = sequenceLength(bytes, at, bytes.length);
      if (size === 0) broken += 1;
      else seen.goodBytes += size;
      at += Math.max(size, 1);
    }
    seen.brokenBytes += broken;
    if (broken === 0) seen.cleanRuns += 1;
    else seen.brokenRuns += 1;
  }
  if (seen.cleanRuns > 0 && seen.cleanRuns * 2 >= seen.brokenRuns) return true;
  return seen.goodBytes >= 12 && seen.goodBytes >= seen.brokenBytes * 8;
}
