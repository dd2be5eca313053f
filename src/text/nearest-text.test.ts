import { describe, expect, it } from "vitest";
import { nearestText } from "./nearest-text.js";
import { underLoad } from "../../test/setup/under-load.js";

const file = [
  "import { x } from 'y';",
  "",
  "function total(items) {",
  "\tlet sum = 0;",
  "\treturn sum;",
  "}",
  "",
].join("\n");

const differences = (text: string, wanted: string): string =>
  nearestText(text, wanted)?.differences.join("; ") ?? "nothing near";

describe("nearestText", () => {
  it("shows the lines that are most alike", () => {
    expect(nearestText(file, "function totals(items) {\n\tlet sum = 1;\n\treturn sum;")).toMatchObject({
      startLine: 3,
      endLine: 5,
      text: "function total(items) {\n\tlet sum = 0;\n\treturn sum;",
      differences: [expect.stringMatching(/line 3 differs.*total\(.*totals\(/) as string],
    });
  });

  it("finds nothing where nothing is alike, or there is nothing to find", () => {
    expect(nearestText(file, "zebra crossing quagga")).toBeUndefined();
    expect(nearestText("", "x")).toBeUndefined();
    expect(nearestText(file, " \n ")).toBeUndefined();
  });

  it("names the kind of difference and shows it", () => {
    const pairs: [string, string, RegExp][] = [
      ["\tlet sum = 0;", "    let sum = 0;", /^indentation: line 1 .* 1 tab, the given text with 4 spaces$/],
      ["let sum = 0;  ", "let sum = 0;", /^trailing whitespace: .* 2 spaces, the given text with none$/],
      ["say “hello” there", 'say "hello" there', /^quotes: .*U\+201C/],
      ["it's quoted here", 'it"s quoted here', /^quotes/],
      ["let Total = sumOf(items)", "let total = sumof(items)", /^case/],
      [
        "let\u00A0sum of items",
        "let sum of items",
        /^invisible characters: .*U\+00A0 \(no-break space\), .*none there$/,
      ],
      ["let s\u200Bum of items", "let sum of items", /^invisible characters: .*U\+200B/],
      ["café au lait", "cafe\u0301 au lait", /^Unicode normal form/],
      ["const ехample = value", "const example = value", /^characters that look alike/],
      ["let sum  =  0 here", "let sum = 0 here", /^whitespace within the line/],
      ["a — b and more words", "a - b and more words", /^dashes/],
      ['say "hello" there', 'say \\"hello\\" there', /^backslashes/],
      [
        "first line here\r\nsecond line",
        "first line here\nsecond lines",
        /line 2 differs.*; line ends: the file has CRLF here, the given text LF$/,
      ],
    ];
    for (const [text, wanted, message] of pairs) expect(differences(text, wanted)).toMatch(message);
  });

  it("names several kinds at once", () => {
    expect(differences("\tsay “Hello” there  ", '  say "hello" there')).toMatch(
      /quotes.*case.*trailing.*indentation/,
    );
  });

  it("sees line numbers that were copied from a listing", () => {
    const found = nearestText(file, "3\tfunction total(items) {\n4\t\tlet sum = 0;\n");
    expect(found).toMatchObject({
      startLine: 3,
      endLine: 4,
      similarity: 1,
      differences: [expect.stringMatching(/^line numbers/) as string],
    });
    expect(differences(file, "     3→function total(items) {")).toMatch(/^line numbers/);
  });

  it("shows a part of a line that is too long to show", () => {
    const long = `${"filler text ".repeat(50_000)}the needle in question${" more filler".repeat(50_000)}`;
    const found = nearestText(long, "the needel in question");
    expect(found).toMatchObject({ startLine: 1, endLine: 1, text: "the needle in question" });
  });

  it("works in scripts without blanks between words", () => {
    expect(
      nearestText("第一行\n这是一个用来测试的中文句子\n第三行\n", "这是一个用来测验的中文句子"),
    ).toMatchObject({ startLine: 2 });
  });

  it("takes bounded time for hostile texts", () => {
    const start = performance.now();
    nearestText(`${" ".repeat(100_000)}x`.repeat(20), `${" ".repeat(90_000)}xy`);
    nearestText("ab ".repeat(3_000_000), "ab ac ".repeat(15_000));
    nearestText("a\n".repeat(2_000_000), "b\na\n".repeat(20_000));
    expect(performance.now() - start).toBeLessThan(underLoad(5000));
  });

  it("compares a text that ends with a line end as the lines that it has", () => {
    const hay = "first line of all\nalpha beta gamma delta\nlast line of all\n";
    const one = nearestText(hay, "alpha betx gamma delta\n");
    expect(one).toMatchObject({ startLine: 2, endLine: 2, text: "alpha beta gamma delta" });
    const two = nearestText(hay, "alpha betx gamma delta\nlast linx of all\n");
    expect(two).toMatchObject({ startLine: 2, endLine: 3 });
  });
});
