import { beginsWith, readBom } from "./detect-encoding.js";
import { guessUtf16 } from "./utf16-guess.js";

/**
 * Whether bytes (the first few thousand of a file are enough) are not text in any encoding.
 *
 * Not `isbinaryfile`: it counts every byte above 127 that is not UTF-8 as suspicious,
 * and so takes Japanese or Russian text in its older encodings for binary.
 */
export function looksBinary(sample: Uint8Array): boolean {
  const head = sample.subarray(0, 1 << 16);
  if (readBom(head) !== undefined) return false;
  if (beginsWith(head, pdfMark)) return true;
  if (head.includes(0)) return guessUtf16(head) === undefined;
  let controls = 0;
  // By index: an iterator takes ten times as long, and every read comes by here.
  for (let at = 0; at < head.length; at += 1) {
    controls += rareControls[head[at] ?? 0] ?? 0;
  }
  // Random bytes have one control character in ten, texts none or, where they show escapes, a few.
  return controls * 20 > head.length;
}

const pdfMark = new TextEncoder().encode("%PDF-");

/** 1 for control characters but bell, backspace, tab, line ends, form feed and escape. */
const rareControls = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x7f) return 1;
  return byte < 0x20 && byte !== 0x1b && !(byte >= 0x07 && byte <= 0x0d) ? 1 : 0;
});
