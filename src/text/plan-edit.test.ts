import { describe, expect, it } from "vitest";
import { applySplices } from "./make-splice.js";
import { encodeText } from "./encode-text.js";
import { planEdit, type EditPlan } from "./plan-edit.js";

type Bytes = string | Uint8Array;

const toBytes = (file: Bytes): Uint8Array => (typeof file === "string" ? Buffer.from(file) : file);

/** The file after the edit, or the plan that refuses it. */
function edited(file: Bytes, oldStr: string, newStr: string, replaceAll = false): Buffer | EditPlan {
  const plan = planEdit(toBytes(file), { oldStr, newStr, replaceAll });
  return plan.ok ? Buffer.from(applySplices(toBytes(file), plan.splices)) : plan;
}

function text(file: Bytes, oldStr: string, newStr: string, replaceAll = false): unknown {
  const result = edited(file, oldStr, newStr, replaceAll);
  return Buffer.isBuffer(result) ? result.toString() : result;
}

describe("planEdit", () => {
  it("replaces the only occurrence and says on which lines it stood", () => {
    const plan = planEdit(Buffer.from("one\ntwo\nthree\nfour\n"), { oldStr: "two\nthree\n", newStr: "2\n" });
    expect(plan).toMatchObject({
      ok: true,
      how: "exact",
      replacements: 1,
      spans: [{ startLine: 2, endLine: 3 }],
      encoding: "utf8",
    });
    expect(text("one\ntwo\nthree\nfour\n", "two\nthree\n", "2\n")).toBe("one\n2\nfour\n");
  });

  it("counts short and long lines, wherever it begins", () => {
    const long = "x".repeat(200);
    for (const unit of ["", "y", long]) {
      const lines = Array.from({ length: 3000 }, (_, at) => (at % 997 === 500 ? "here" : `${unit}${at % 7}`));
      for (const first of ["", long, long.repeat(50)]) {
        const file = [first, ...lines].join("\n");
        const plan = planEdit(Buffer.from(file), { oldStr: "here", newStr: "there", replaceAll: true });
        expect(plan).toMatchObject({
          spans: [502, 1499, 2496].map((line) => ({ startLine: line, endLine: line })),
        });
      }
    }
  });

  it("takes a dollar for a dollar", () => {
    for (const sign of ["$&", "$1", "$$", "$`", "$'", "$<name>", "\\1"]) {
      expect(text("a(b)c", "(b)", sign)).toBe(`a${sign}c`);
      expect(text(`a${sign}c`, sign, "b")).toBe("abc");
      expect(text("x.x", "x", sign, true)).toBe(`${sign}.${sign}`);
    }
  });

  it("says how often and where a text stands that is not unique, overlaps included", () => {
    expect(edited("aaa", "aa", "b")).toMatchObject({ fault: "not-unique", count: 2, lines: [1, 1] });
    expect(edited("x\ny\nx\n\nx", "x", "b")).toMatchObject({
      fault: "not-unique",
      count: 3,
      lines: [1, 3, 5],
    });
    expect(text("aaa", "aa", "b", true)).toBe("ba");
  });

  it("splices no more than what differs", () => {
    const plan = planEdit(Buffer.from("const value = 1;\n"), {
      oldStr: "const value = 1;",
      newStr: "const value = 2;",
    });
    expect(plan).toMatchObject({ splices: [{ start: 14, end: 15, data: Buffer.from("2") }] });
    // Bytes that two characters have in common are not cut out of them.
    const cut = planEdit(Buffer.from("文件"), { oldStr: "文件", newStr: "斈件" });
    expect(cut).toMatchObject({ splices: [{ start: 0, end: 3, data: Buffer.from("斈") }] });
  });

  it("refuses what is not there, an empty text in a file that has text, and halves of characters", () => {
    expect(edited("abc", "abd", "x")).toMatchObject({ fault: "not-found" });
    expect(edited("abc", "abcd", "x")).toMatchObject({ fault: "not-found" });
    expect(edited("", "a", "x")).toEqual({ ok: false, fault: "not-found" });
    expect(edited("abc", "", "x")).toEqual({ ok: false, fault: "not-found" });
    expect(edited("🙂", "\uD83D", "x")).toMatchObject({ fault: "not-exact" });
    expect(edited("abc", "b", "\uDE42")).toMatchObject({ fault: "not-exact" });
  });

  it("writes the first text of an empty file, after its BOM", () => {
    expect(text("", "", "hi\n")).toBe("hi\n");
    expect(text("\uFEFF", "", "hi\n")).toBe("\uFEFFhi\n");
  });

  it("does nothing where old and new are the same", () => {
    expect(planEdit(Buffer.from("abc"), { oldStr: "b", newStr: "b" })).toMatchObject({
      ok: true,
      splices: [],
    });
  });
});

describe("planEdit, line ends", () => {
  it("finds lines in a CRLF file by line feeds and writes CRLF", () => {
    expect(text("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz")).toBe("x\r\ny\r\nz\r\nc\r\n");
    expect(planEdit(Buffer.from("a\r\nb\r\n"), { oldStr: "a\nb\n", newStr: "" })).toMatchObject({
      how: "line-ends",
      spans: [{ startLine: 1, endLine: 2 }],
    });
  });

  it("gives lines put into a line the line end of that line", () => {
    expect(text("a\r\nb\r\n", "b", "b\nc")).toBe("a\r\nb\r\nc\r\n");
    expect(text("a\r\nb", "b", "b\nc")).toBe("a\r\nb\r\nc");
    expect(text("a\nb\r\n", "a", "a\nx")).toBe("a\nx\nb\r\n");
    expect(text("a\rb", "b", "b\nc")).toBe("a\rb\rc");
    expect(text("ab", "b", "b\nc")).toBe("ab\nc");
    expect(text("a\nb\n", "b", "b\r\nc")).toBe("a\nb\nc\n");
  });

  it("never leaves half of a line end behind", () => {
    expect(text("a\r\n\r\nfoo\r\n", "\nfoo", "foo")).toBe("a\r\nfoo\r\n");
    expect(text("a\r\nfoo", "\nfoo", "\nbar")).toBe("a\r\nbar");
    expect(text("a\r\nb\r\n", "a\r", "x")).toBe("xb\r\n");
  });

  it("keeps the end of every line that stays, in files that mix them", () => {
    expect(text("a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nB\nc\nd")).toBe("a\r\nB\nc\r\nd\n");
    expect(text("a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nb\nnew\nc\nd")).toBe("a\r\nb\nnew\r\nc\r\nd\n");
    expect(text("a\r\nb\nc\r\nd\n", "b\nc", "c")).toBe("a\r\nc\r\nd\n");
  });

  it("takes an empty line for two line ends, never for the halves of one", () => {
    expect(edited("a\r\nb\r\n", "a\n\nb", "x")).toMatchObject({ fault: "not-found" });
    expect(text("a\r\n\r\nb", "a\n\nb", "x")).toBe("x");
  });

  it("replaces all in a mixed file, whatever the line ends, each with its own", () => {
    expect(text("a\nb\r\na\r\nb\n", "a\nb", "x\ny", true)).toBe("x\ny\r\nx\r\ny\n");
  });

  it("does not pick one of two places that differ by nothing but line ends", () => {
    expect(edited("a\nb\nc\na\r\nb\r\n", "a\nb", "x")).toMatchObject({
      fault: "not-unique",
      count: 2,
      lines: [1, 4],
    });
  });

  it("changes line ends where that is what was asked for", () => {
    expect(text("a\r\nb\r\n", "a\r\n", "a\n")).toBe("a\nb\r\n");
    expect(text("a\nb\n", "a\n", "a\r\n")).toBe("a\r\nb\n");
    expect(text("a\r\nb\r\n", "a\r\nb", "a\r\nx\r\nb")).toBe("a\r\nx\r\nb\r\n");
  });

  it("finds a last line that has no line end, and leaves it without", () => {
    expect(text("a\nb", "b\n", "c\n")).toBe("a\nc");
    expect(text("a\r\nb\r\nc", "b\nc\n", "x\ny\nz\n")).toBe("a\r\nx\r\ny\r\nz");
    expect(text("a\nb", "b\n", "")).toBe("a\n");
    expect(edited("a\nb", "b\n\n", "c")).toMatchObject({ fault: "not-found" });
    expect(planEdit(Buffer.from("a\nb"), { oldStr: "b\n", newStr: "c\n" })).toMatchObject({
      how: "line-ends",
      spans: [{ startLine: 2, endLine: 2 }],
    });
  });

  it("keeps a file without a final newline so, and trailing blanks", () => {
    expect(text("a  \nb", "b", "c")).toBe("a  \nc");
    expect(text("a  \nb  ", "b", "c")).toBe("a  \nc  ");
    expect(edited("a  \nb", "a\nb", "c")).toMatchObject({ fault: "not-found" });
  });
});

describe("planEdit, indentation", () => {
  it("finds whole lines that are indented deeper, and indents the new ones likewise", () => {
    const plan = planEdit(Buffer.from("if x:\n    if y:\n        z()\n\n        w()\nend\n"), {
      oldStr: "if y:\n    z()\n\n    w()\n",
      newStr: "if q:\n\n    z()\n",
    });
    expect(plan).toMatchObject({ how: "indentation", spans: [{ startLine: 2, endLine: 5 }] });
    expect(
      text(
        "if x:\n    if y:\n        z()\n\n        w()\nend\n",
        "if y:\n    z()\n\n    w()\n",
        "if q:\n\n    z()\n",
      ),
    ).toBe("if x:\n    if q:\n\n        z()\nend\n");
    expect(text("\tfoo {\r\n\t\tbar\r\n\t}\r\n", "foo {\n\tbar\n}", "foo {\n\tbaz\n\tqux\n}")).toBe(
      "\tfoo {\r\n\t\tbaz\r\n\t\tqux\r\n\t}\r\n",
    );
  });

  it("finds lines that are indented less", () => {
    expect(text("a {\n  b\n}\n", "    a {\n      b\n    }", "    a {\n      c\n    }")).toBe("a {\n  c\n}\n");
    expect(text("\tb\n", "\t\tb", "\t\tc")).toBe("\tc\n");
  });

  it("refuses where the shift is not the same for all, or there are two places, or only a part of a line fits", () => {
    const refusals: [string, string, string][] = [
      ["  a\n   b\n", "a\nb", "c"],
      ["  a\n  b\n--\n    a\n    b\n", "a\nb", "c"],
      ["  a\n  b c\n", "a\nb", "c"],
      ["\ta\n", "    a", "    b"],
      ["a\nb\n", "  a\n  b", "x"],
      ["  a\n  \n  b\n", "a\n\nb", "c"],
    ];
    for (const [file, oldStr, newStr] of refusals)
      expect(edited(file, oldStr, newStr)).toMatchObject({ fault: "not-found" });
  });
});

describe("planEdit, encodings", () => {
  const encodings = ["utf8", "utf16le", "utf16be", "utf32le"];

  it("keeps the BOM and finds the first words behind it", () => {
    for (const encoding of encodings) {
      const file = encodeText("first\nsecond\n", encoding, { bom: true }) ?? new Uint8Array();
      expect(edited(file, "first", "1st 文")).toEqual(
        encodeText("1st 文\nsecond\n", encoding, { bom: true }),
      );
    }
  });

  it("writes the new text in the encoding of the file", () => {
    const files: [string, string, string, string][] = [
      ["utf16le", "eins zwei drei\n", "zwei", "zwölf 🙂"],
      ["latin1", "Grüße, Köln\n", "Köln", "Düren"],
      ["windows-1251", "Привет, мир\n", "мир", "друг"],
      ["gb18030", "你好，世界\n", "世界", "朋友🙂"],
      ["shift_jis", "設定ファイルの値\n", "値", "名前"],
      ["euc-kr", "안녕하세요 세계\n", "세계", "친구"],
      ["big5", "這是一個中文檔案\n", "檔案", "文件"],
    ];
    for (const [encoding, before, oldStr, newStr] of files) {
      const file = encodeText(before, encoding) ?? new Uint8Array();
      expect(edited(file, oldStr, newStr)).toEqual(encodeText(before.replace(oldStr, newStr), encoding));
    }
  });

  it("does not find a character in the halves of two others", () => {
    // The second byte of one and the first of the next are a character themselves.
    const file = encodeText("表示表示テスト", "shift_jis") ?? new Uint8Array();
    expect(planEdit(file, { oldStr: "\\", newStr: "/" }, "shift_jis")).toMatchObject({ fault: "not-found" });
    const wide = Buffer.from("AAAB", "latin1");
    expect(planEdit(wide, { oldStr: "\u4141", newStr: "x" }, "utf16le")).toMatchObject({
      ok: true,
      replacements: 1,
    });
  });

  it("refuses a new text that the encoding of the file cannot hold, and names the character", () => {
    const file = encodeText("Grüße\n", "latin1") ?? new Uint8Array();
    expect(edited(file, "Grüße", "Grüße 🙂")).toMatchObject({
      fault: "not-exact",
      reason: expect.stringMatching(/latin1.*U\+1F642/) as string,
    });
  });

  it("edits around broken bytes and leaves them as they are", () => {
    const broken = Buffer.concat([
      Buffer.from("grün\nkaputt: "),
      Buffer.from([0xff, 0x80, 0xc3]),
      Buffer.from("\nlast line\n"),
    ]);
    const after = Buffer.concat([
      Buffer.from("grün\nkaputt: "),
      Buffer.from([0xff, 0x80, 0xc3]),
      Buffer.from("\nlästige line\n"),
    ]);
    expect(edited(broken, "last", "lästige")).toEqual(after);
    expect(edited(broken, "kaputt: \uFFFD\uFFFD\uFFFD", "ganz")).toMatchObject({ fault: "not-exact" });
  });

  it("refuses to edit encodings with states", () => {
    const jis = Buffer.from("abc \u001B$B$3$s\u001B(B def", "latin1");
    expect(edited(jis, "abc", "abd")).toMatchObject({ fault: "not-exact" });
  });

  it("tells composed from decomposed letters", () => {
    expect(edited("cafe\u0301\n", "café", "tea")).toMatchObject({ fault: "not-found" });
    expect(text("cafe\u0301 🙂👨‍👩‍👧\n", "👨‍👩‍👧", "🧑")).toBe("cafe\u0301 🙂🧑\n");
  });
});

describe("planEdit of an empty file", () => {
  it("is exact, and puts the text on the first line", () => {
    expect(planEdit(new Uint8Array(), { oldStr: "", newStr: "x", replaceAll: false })).toMatchObject({
      ok: true,
      how: "exact",
      spans: [{ startLine: 1, endLine: 1 }],
      replacements: 1,
    });
  });
});
