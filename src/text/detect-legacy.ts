import { findEncoding } from "./encoding-names.js";
import { loadChardet, loadIconv } from "./libraries.js";

/** Guess the encoding of text that is not UTF-8, from a part of it. */
export function detectLegacy(bytes: Buffer): string {
  const sample = sampleOf(bytes);
  return guessEastAsian(sample) ?? guessAlphabet(sample) ?? guessByChardet(sample) ?? westernOf(bytes);
}

const sampleSize = 1 << 13;

/** The first bytes that are not ASCII, with their surroundings. */
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

/**
 * Characters that make up about half of any text in a language, and those that source files often have in
 * comments: enough to tell the right reading of a few bytes from the wrong ones, which are made of rare ones.
 */
const frequentCharacters = {
  simplifiedChinese:
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体相见被利什二等产或新己制身果加西话合回特代内信表化老给世位次度门任常先海通教原声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四总何电数安少报才结反受目太量再感建务做接必场件计管期市直资命山金指统区保至形空决展科基书非则听界光放即像且权思完设式色路记品告类求据程边该交规取望觉共确传今切让识带导注释测试配置函参返码编译错误调输输系统默认改写读删添",
  traditionalChinese:
    "的一是不我有在人這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她里後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東海口使教西再平真聽世氣信北少關並內加化由卻代產入先山五太水萬市體別處總才場師書比住員性通目報立命活數件安表原應路期常提感金何更反合放做系計或利受光果界及今務制解各任至物記邊共接它許特望直題建南度統色字請讓認算論義科元社術結指非每管資帶條院變言權展該領保運必完強區即求品量空程告語基式寫識極收持取設始版單據導檔案測試編碼註解函參傳回",
  japanese:
    "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北百書先名千水半男西電校語土木聞車何南万毎白天母火右読左父会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持以思家世多正安院心界教文元重近考画海知道集別物使品計特始朝運終無真有口少料工空急止送切転起着質待試早映親験仕去味写字答音注古図室紙色設定値処関数変戻引戻型配列初期化実装",
  korean:
    "이다의는에을가고하지한은를로도사기리아서자대시어인나일정그라만수해부보전있상스장게주여제원들조마과국안구적오으니면신치소무우생실공연위바트방내화미중분성경세용러관모영비동교계요선물문때말입명습것했까며산히개건법작회학당결양진간저강재드식업예음호님차단행속파와체터타데번형글른많네않없같녕함변출력합열설추삭반환",
  cyrillic: "оеаинтсрвлкмдпуяыьгзбчй",
  greek: "αοιετσνηυρπκμλςωδγάέήίόύώ",
} as const;

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
    // In Latin scripts, a letter that is not ASCII is mostly alone.
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
