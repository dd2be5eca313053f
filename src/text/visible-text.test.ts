import { describe, expect, it } from "vitest";
import {
  foldNote,
  foldText,
  fromVisibleText,
  toVisibleLine,
  toVisiblePieces,
  toVisibleText,
} from "./visible-text.js";
import { randomText } from "./visible-text.fixture.js";
import { underLoad } from "../../test/setup/under-load.js";

const steering =
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u;

describe("the visible form of a text", () => {
  it.each([
    ["print('a')\n\tprint('b')\n", "print('a')\n\tprint('b')\n"],
    ["\u001b]0;rm -rf ~\u001b\\", "⟨ESC⟩]0;rm -rf ~⟨ESC⟩\\"],
    ["\u001b[8mhidden", "⟨ESC⟩[8mhidden"],
    ["\u009b2K\u0085\u007f\u0000", "⟨U+009B⟩2K⟨U+0085⟩⟨DEL⟩⟨NUL⟩"],
    ["a\r\nb\rc", "a⟨CR⟩\nb⟨CR⟩c"],
    ["\u202egnp.exe\u2066", "⟨U+202E⟩gnp.exe⟨U+2066⟩"],
    ["a\u200bb\u200cc\u200dd\ufeffe\u2060f", "a⟨U+200B⟩b⟨U+200C⟩c⟨U+200D⟩d⟨U+FEFF⟩e⟨U+2060⟩f"],
    ["\u{e0041}\u{e007f}\u{e0100}", "⟨U+E0041⟩⟨U+E007F⟩⟨U+E0100⟩"],
    ["a\ufe0fb\u00ad\u2062\u3164\u115f\ufff9", "a⟨U+FE0F⟩b⟨U+00AD⟩⟨U+2062⟩⟨U+3164⟩⟨U+115F⟩⟨U+FFF9⟩"],
    ["\ufffe\u{1ffff}\ue000\u{f0000}", "⟨U+FFFE⟩⟨U+1FFFF⟩⟨U+E000⟩⟨U+F0000⟩"],
    ["\ud800a\udc00", "⟨U+D800⟩a⟨U+DC00⟩"],
    ["a\u00a0b\u2003c\u3000d\u2800e\u1680", "a⟨U+00A0⟩b⟨U+2003⟩c⟨U+3000⟩d⟨U+2800⟩e⟨U+1680⟩"],
    ["a\u2028b\u2029\u000b\u000c", "a⟨U+2028⟩b⟨U+2029⟩⟨VT⟩⟨FF⟩"],
    ["⟨ESC⟩ is literal", "⟨U+27E8⟩ESC⟩ is literal"],
    ["\u212aelvin \u037e", "⟨U+212A⟩elvin ⟨U+037E⟩"],
  ])("writes out what cannot be seen: %j", (text, visible) => {
    expect(toVisibleText(text)).toBe(visible);
    expect(fromVisibleText(visible)).toBe(text);
  });

  it.each([
    "👨‍👩‍👧‍👦",
    "👍🏽",
    "🇩🇪",
    "1️⃣",
    "❤️",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "🏳️‍🌈",
    "👩🏽‍💻👩🏽‍💻",
    "☺",
  ])("leaves the standard emoji sequence %s as it is", (emoji) =>
    expect(toVisibleText(`a ${emoji} b`)).toBe(`a ${emoji} b`),
  );

  it.each([
    ["a tag flag of no region", "🏴\u{e0072}\u{e006d}\u{e007f}", "🏴⟨U+E0072⟩⟨U+E006D⟩⟨U+E007F⟩"],
    ["a joiner between emoji that form none", "🍎\u200d🍏", "🍎⟨U+200D⟩🍏"],
    ["a selector behind a selector", "❤\ufe0f\ufe0f", "❤️⟨U+FE0F⟩"],
    ["text behind an emoji in selectors", "😀\u{e0172}\u{e0173}", "😀⟨U+E0172⟩⟨U+E0173⟩"],
  ])("writes out %s", (_, text, visible) => expect(toVisibleText(text)).toBe(visible));

  it("leaves ordinary letters of every script, with their marks", () => {
    const texts = [
      "Grüße, naïve café",
      "Привет, мир",
      "Ελληνικά",
      "日本語テキスト Webサイト",
      "한국어 Tenon은",
      "שלום",
      "مرحبا",
      "हिन्दी",
      "ภาษาไทย",
      "Tiếng Việt",
      "cafe\u0301",
    ];
    for (const text of texts) expect(toVisibleText(text)).toBe(text);
  });

  it.each([
    ["p\u0430ypal", "p⟨U+0430⟩ypal"],
    ["\u0440\u0430yp\u0430l.com", "⟨U+0440⟩⟨U+0430⟩yp⟨U+0430⟩l.com"],
    ["r\u03bfot", "r⟨U+03BF⟩ot"],
    ["\u0430\u03bf", "\u0430⟨U+03BF⟩"],
    ["a\u0565", "a⟨U+0565⟩"],
    ["p\u200b\u0430y", "p⟨U+200B⟩⟨U+0430⟩y"],
    ["12\u09ea", "12⟨U+09EA⟩"],
    ["USB-кабель", "USB-кабель"],
  ])("marks letters of another script within a word: %s", (text, visible) => {
    expect(toVisibleText(text)).toBe(visible);
    expect(fromVisibleText(visible)).toBe(text);
  });

  it("writes out marks that flood a letter, cover a sign or stand on nothing", () => {
    expect(toVisibleText(`a${"\u0301".repeat(1000)}b`)).toBe(
      `a${"\u0301".repeat(4)}${"⟨U+0301⟩".repeat(996)}b`,
    );
    expect(toVisibleText("=\u0338 a\u0336 \u0301")).toBe("=⟨U+0338⟩ a⟨U+0336⟩ ⟨U+0301⟩");
    expect(toVisibleText("\u0301a")).toBe("⟨U+0301⟩a");
  });

  it("writes out line ends and tabs where a text stands in one line", () => {
    expect(toVisibleLine("a\n\tb")).toBe("a⟨LF⟩⟨TAB⟩b");
    expect(fromVisibleText(toVisibleLine("a\n\tb\r"))).toBe("a\n\tb\r");
  });

  it("tells the pieces that were written out", () => {
    expect(toVisiblePieces("a\u001bb")).toEqual([
      { text: "a", written: false },
      { text: "⟨ESC⟩", written: true },
      { text: "b", written: false },
    ]);
    expect(toVisiblePieces("\u001b\u{e0041}\u001b").map(({ text }) => text)).toEqual([
      "⟨ESC⟩",
      "⟨U+E0041⟩",
      "⟨ESC⟩",
    ]);
    expect(toVisiblePieces("")).toEqual([]);
  });

  it("decodes to the same code points, for random texts over all of Unicode", () => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const text = randomText(seed);
      const visible = toVisibleText(text);
      if (fromVisibleText(visible) !== text || fromVisibleText(toVisibleLine(text)) !== text)
        expect.fail(`seed ${seed}: ${JSON.stringify(text)}`);
      // Nothing that steers or hides is left, whatever the neighbors are.
      expect(visible).not.toMatch(steering);
    }
  });

  it("decodes every single code point that has a meaning", () => {
    const every = Array.from({ length: 0x32000 }, (_, code) => String.fromCodePoint(code)).join("\n");
    expect(fromVisibleText(toVisibleText(every)) === every).toBe(true);
  });

  it.each([
    ["one line of 200,000 characters", "x\u200b".repeat(100_000)],
    ["100,000 lines", "а line\u202e\n".repeat(100_000)],
    ["1 MB of marks", "a".repeat(300_000) + "\u0301".repeat(350_000)],
    ["a long word of mixed scripts", "aаα".repeat(100_000)],
    ["joined emoji without end", "👩‍".repeat(100_000)],
    ["digits with selectors", "1\ufe0f".repeat(150_000)],
    ["tags without end", "🏴\u{e0067}".repeat(80_000)],
    ["brackets", "⟨".repeat(300_000)],
  ])("takes %s in linear time", (_, text) => {
    const start = performance.now();
    expect(fromVisibleText(toVisibleText(text)) === text).toBe(true);
    expect(performance.now() - start).toBeLessThan(underLoad(30_000));
  });
});

describe("folding", () => {
  it("says how many lines and characters are folded", () => {
    const text = Array.from({ length: 500 }, (_, at) => `line ${at}`).join("\n");
    const folded = foldText(text, { lines: 88, characters: 8000 });
    expect(folded.shown.split("\n")).toHaveLength(89);
    expect(folded.shown.length + folded.hiddenCharacters).toBe(text.length);
    expect(foldNote(folded)).toBe(
      `… 412 more lines, ${folded.hiddenCharacters.toLocaleString("en-US")} characters`,
    );
  });

  it("folds one long line between characters, and leaves what fits", () => {
    const folded = foldText("😀".repeat(100), { lines: 10, characters: 51 });
    expect(folded.shown).toBe("😀".repeat(25));
    expect(foldNote(folded)).toBe("… 1 more line, 150 characters");
    expect(foldNote(foldText("short\n", { lines: 10, characters: 100 }))).toBe("");
    expect(foldText("", { lines: 1, characters: 1 }).shown).toBe("");
  });
});
