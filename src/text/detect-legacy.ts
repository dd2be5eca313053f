import { findEncoding } from "./encoding-names.js";
import { frequentCharacters } from "./frequent-characters.js";
import { loadChardet, loadIconv } from "./libraries.js";

/** Guess the encoding of text that is no UTF-8, from a part of it. */
export function detectLegacy(bytes: Buffer): string {
  const sample = sampleOf(bytes);
  return guessEastAsian(sample) ?? guessAlphabet(sample) ?? guessByChardet(sample) ?? westernOf(bytes);
}

const sampleSize = 1 << 13;

/** The first bytes that are no ASCII, with what stands around them. */
function sampleOf(bytes: Buffer): Buffer {
  const first = findInRange(bytes, 0x80, 0xff);
  const sample = bytes.subarray(Math.max(0, first - 1024), first + sampleSize);
  // A cut through a character would look like a fault.
  let end = sample.length;
  if (first + sampleSize < bytes.length) {
    while (end > 1 && (sample[end - 1] ?? 0) >= 0x30) end -= 1;
  }
  return end > 1 ? sample.subarray(0, end) : sample;
}

/** The encodings of more than one byte, and the characters that are common in their texts. */
const eastAsian: readonly (readonly [string, ReadonlySet<string>])[] = [
  ["shift_jis", new Set(frequentCharacters.japanese)],
  ["euc-jp", new Set(frequentCharacters.japanese)],
  ["gb18030", new Set(frequentCharacters.simplifiedChinese)],
  ["big5", new Set(frequentCharacters.traditionalChinese)],
  ["euc-kr", new Set(frequentCharacters.korean)],
];

/** For short texts chardet only guesses; the right reading shows by the frequent characters in it. */
function guessEastAsian(sample: Buffer): string | undefined {
  let best = { name: "", score: 0.8 };
  for (const [name, frequent] of eastAsian) {
    const score = plausibility(loadIconv().decode(sample, name), frequent);
    if (score > best.score) best = { name, score };
  }
  return best.name === "" ? undefined : best.name;
}

function plausibility(text: string, frequent: ReadonlySet<string>): number {
  let sum = 0;
  let count = 0;
  for (const char of text) {
    if (char < "\u0080") continue;
    count += 1;
    sum += frequent.has(char) ? 2 : plausibilityOf(char, frequent);
  }
  return count === 0 ? 0 : sum / count;
}

function plausibilityOf(char: string, frequent: ReadonlySet<string>): number {
  const code = char.codePointAt(0) ?? 0;
  // Kana, in Japanese only; Hangul in Korean only, where half of it is rare.
  if (code >= 0x3041 && code <= 0x30ff) return frequent.has("円") ? 2 : 0;
  if (code >= 0xac00 && code <= 0xd7a3) return 0.7;
  if ((code >= 0x3000 && code <= 0x303f) || (code >= 0xff01 && code <= 0xff5e)) return 1;
  if (code >= 0x4e00 && code <= 0x9fff) return 0.2;
  return code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff) ? -5 : -0.5;
}

/** Encodings of scripts whose letters all lie beyond ASCII. */
const alphabets: readonly (readonly [string, ReadonlySet<string>])[] = [
  ["windows-1251", new Set(frequentCharacters.cyrillic)],
  ["koi8-r", new Set(frequentCharacters.cyrillic)],
  ["cp866", new Set(frequentCharacters.cyrillic)],
  ["iso-8859-5", new Set(frequentCharacters.cyrillic)],
  ["iso-8859-7", new Set(frequentCharacters.greek)],
  ["windows-1253", new Set(frequentCharacters.greek)],
];

/** Whole words of high bytes which in one reading are made of the most frequent small letters. */
function guessAlphabet(sample: Buffer): string | undefined {
  let best = { name: "", share: 0.6 };
  for (const [name, frequent] of alphabets) {
    const words =
      loadIconv()
        .decode(sample, name)
        .match(/[\u0080-\uFFFF]+/gu) ?? [];
    const letters = words.join("");
    // In Latin scripts a letter beyond ASCII mostly stands alone.
    if (letters.length < words.length * 2.5) return undefined;
    const usual = Array.from(letters).filter((char) => frequent.has(char)).length;
    // A capital after a small letter belongs to the wrong reading.
    const odd = letters.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0;
    const share = (usual - 2 * odd) / letters.length;
    if (share > best.share) best = { name, share };
  }
  return best.name === "" ? undefined : best.name;
}

/** Its statistics need some text; with less it takes French for Czech. */
function guessByChardet(sample: Buffer): string | undefined {
  const high = sample.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0);
  if (high < 24) return undefined;
  const best = loadChardet()
    .analyse(sample)
    .find((guess) => guess.confidence >= 40 && findEncoding(guess.name)?.family === "single");
  const name = best && findEncoding(best.name)?.name;
  return name === "latin1" || name === "windows-1252" ? undefined : name;
}

/** Bytes from 80 to 9F are letters and quotes in the one and control characters in the other. */
function westernOf(bytes: Buffer): string {
  return findInRange(bytes, 0x80, 0x9f) === -1 ? "latin1" : "windows-1252";
}

/** A plain loop: a callback for each of millions of bytes takes ten times as long. */
function findInRange(bytes: Buffer, low: number, high: number): number {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= low && byte <= high) return at;
  }
  return -1;
}
