import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tool } from "../../contract/tool.js";
import { createLineReader } from "./lines/line-reader.js";
import { createReadFile } from "./read-file.js";
import type { ReadResult } from "./read-result.js";
import { openReadFixture, type ReadFixture } from "./testing/read-fixture.js";

let fixture: ReadFixture;
let tool: Tool;

beforeEach(() => {
  fixture = openReadFixture();
  tool = createReadFile(createLineReader());
});
afterEach(() => fixture.close());

const read = async (path: string, more: object = {}): Promise<ReadResult> =>
  (await fixture.run(tool, { path, ...more })) as ReadResult;
const shown = (result: ReadResult): string => {
  const rendered = tool.render?.(result, {});
  return typeof rendered === "string" ? rendered : JSON.stringify(rendered);
};

describe("read_file", () => {
  it("returns the text as it is, and numbers its lines for the model", async () => {
    writeFileSync(fixture.path("a.ts"), "const a = 1;\nconst b = 2;\n");
    const result = await read("a.ts");
    expect(result).toEqual({
      path: "a.ts",
      content: "const a = 1;\nconst b = 2;\n",
      size: 26,
      encoding: "utf8",
      language: "typescript",
      totalLines: 2,
      startLine: 1,
      endLine: 2,
      isDirectory: false,
      recommendRange: null,
      truncated: false,
    });
    expect(shown(result)).toBe("1\tconst a = 1;\n2\tconst b = 2;");
  });

  it.each([
    ["a\nb\nc", 2, 2, "b", 2],
    ["a\nb\nc\n", 2, 3, "b\nc", 3],
    ["a\nb\nc\n", 2, 9, "b\nc\n", 3],
    ["a\nb\nc\n", 3, undefined, "c\n", 3],
    ["a\r\nb\r\nc", 1, 2, "a\r\nb", 2],
    ["a\rb\rc", 2, 2, "b", 2],
    ["\n\n\n", 2, 2, "", 2],
  ])("reads of %j the lines %s to %s", async (text, start_line, end_line, content, endLine) => {
    writeFileSync(fixture.path("a.txt"), text);
    const result = await read("a.txt", { start_line, end_line });
    expect(result).toMatchObject({
      content,
      startLine: start_line,
      endLine,
      totalLines: 3,
      truncated: false,
    });
  });

  it("reads an empty file", async () => {
    writeFileSync(fixture.path("empty"), "");
    const result = await read("empty");
    expect(result).toMatchObject({ content: "", totalLines: 0, startLine: 1, endLine: 0, size: 0 });
    expect(shown(result)).toBe("[The file is empty.]");
    await expect(read("empty", { start_line: 5 })).rejects.toMatchObject({ hint: "The file is empty." });
    expect(fixture.sightings).toMatchObject([{ path: "empty", lines: [], complete: true }]);
  });

  it.each([
    [{ start_line: 5, end_line: 2 }, /start_line \(5\) is after end_line \(2\)/],
    [{ start_line: 5 }, /Line 5 is beyond the end of a.txt, which has 2 lines/],
    [{ start_line: 0 }, /start_line/],
    [{ end_line: 0 }, /end_line/],
    [{ start_line: 2, end_line: -2 }, /start_line \(2\) is after end_line \(1\)/],
    [{ start_line: -1, end_line: -2 }, /start_line \(-1\) is after end_line \(-2\)/],
    [{ start_char: 0 }, /start_char/],
    [{ start_char: 3, end_char: 2 }, /start_char \(3\) is after end_char \(2\)/],
    [{ start_line: 2, start_char: 2 }, /start_char \(2\) is beyond the end of line 2, which has 1 character/],
    [{ start_line: 3, start_char: 1 }, /Line 3 is beyond the end of a.txt/],
    [{ start_line: 1, end_line: 2, start_char: 1 }, /about one line/],
    [{ end_line: Number.NaN }, /end_line/],
    [{ start_line: 1.5 }, /start_line/],
    [{ start_line: Number.POSITIVE_INFINITY }, /start_line/],
    [{ encoding: "klingon" }, /klingon/],
  ])("refuses %j and says why", async (range, message) => {
    writeFileSync(fixture.path("a.txt"), "a\nb\n");
    await expect(read("a.txt", range)).rejects.toThrow(message);
  });

  it("notes exactly what was shown as seen", async () => {
    writeFileSync(fixture.path("a.txt"), "one\ntwo\r\nthree\n");
    await read("a.txt", { start_line: 2, end_line: 3 });
    await read("a.txt");
    expect(fixture.sightings).toMatchObject([
      { path: "a.txt", start: 2, lines: ["two", "three"], complete: false },
      { path: "a.txt", start: 1, lines: ["one", "two", "three"], complete: true },
    ]);
  });

  it("cuts long lines for the model, and says so; what was returned counts as read", async () => {
    writeFileSync(fixture.path("a.txt"), `short\n${"x".repeat(5000)}\nend\n`);
    const result = await read("a.txt");
    expect(result.content).toHaveLength(5011);
    expect(shown(result)).toContain("[… 3000 more characters of this line: start_line");
    expect(fixture.sightings).toMatchObject([
      { start: 1, lines: ["short", "x".repeat(5000), "end"], complete: true },
    ]);
  });

  it("cuts a large file at a line end and recommends what to read next", async () => {
    const lines = Array.from({ length: 5000 }, (_, at) => `line ${at + 1}`);
    writeFileSync(fixture.path("a.txt"), lines.join("\n"));
    const result = await read("a.txt");
    expect(result).toMatchObject({
      totalLines: 5000,
      endLine: 2000,
      truncated: true,
      recommendRange: { startLine: 2001, endLine: 4000 },
    });
    expect(result.content.endsWith("line 2000")).toBe(true);
    expect(shown(result)).toContain("[Lines 1-2000 of 5000. Continue with start_line 2001.]");
    const rest = await read("a.txt", { start_line: 4990 });
    expect(rest.content).toBe(lines.slice(4989).join("\n"));
    expect(rest.recommendRange).toBeNull();
  });

  it("keeps within what an answer may hold, so that nothing counts as seen that was cut away", async () => {
    writeFileSync(fixture.path("a.txt"), "0123456789\n".repeat(1000));
    const result = (await fixture.run(tool, { path: "a.txt" }, { maxTextChars: 3000 })) as ReadResult;
    expect(result.truncated).toBe(true);
    expect(shown(result).length).toBeLessThan(3000);
    expect(fixture.sightings[0]?.lines).toHaveLength(result.endLine);
  });

  it("shows the beginning of a line that is too long for any answer", async () => {
    const file = await open(fixture.path("huge.txt"), "w");
    await file.truncate(3 * 1024 * 1024);
    await file.write(Buffer.alloc(3 * 1024 * 1024, "x"), 0);
    await file.close();
    const result = await read("huge.txt");
    expect(result).toMatchObject({ totalLines: 1, truncated: true, recommendRange: null });
    expect(result.content.length).toBeLessThanOrEqual(80_000);
    const part = { line: 1, char: 1, text: result.content, isEnd: false };
    expect(fixture.sightings).toMatchObject([{ lines: [], complete: false, parts: [part] }]);
  });

  it("lists a directory", async () => {
    mkdirSync(fixture.path("dir/sub"), { recursive: true });
    writeFileSync(fixture.path("dir/a.txt"), "12345");
    const result = await read("dir");
    expect(result).toMatchObject({ isDirectory: true, content: "a.txt  5 B\nsub/", language: null });
  });

  it("says what a missing file is", async () => {
    await expect(read("nowhere.txt")).rejects.toThrow(/not found/);
  });

  it.each([
    ["utf16le", Buffer.from("\uFEFFäb\nc\n", "utf16le"), "äb\nc\n"],
    ["utf8", Buffer.from("\uFEFFäb\nc\n"), "äb\nc\n"],
    ["latin1", Buffer.from("Gr\u00fc\u00dfe\nc\n", "latin1"), "Grüße\nc\n"],
  ])("decodes %s", async (encoding, bytes, content) => {
    writeFileSync(fixture.path("a.txt"), bytes);
    const asked = encoding === "latin1" ? { encoding } : {};
    expect(await read("a.txt", asked)).toMatchObject({ content, encoding, totalLines: 2 });
  });

  it("gives bytes in Base64, but no lines of them", async () => {
    writeFileSync(fixture.path("a.bin"), Buffer.from([0, 1, 2, 255]));
    expect(await read("a.bin", { encoding: "base64" })).toMatchObject({
      content: "AAEC/w==",
      encoding: "base64",
      truncated: false,
    });
    await expect(read("a.bin", { encoding: "base64", start_line: 1 })).rejects.toThrow(
      /line range is not possible/,
    );
  });

  it("describes what is no text", async () => {
    writeFileSync(fixture.path("a.gz"), Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 0]));
    const result = await read("a.gz");
    expect(result).toMatchObject({ totalLines: null, encoding: null, mimeType: "application/gzip" });
    expect(shown(result)).toContain("Binary file: application/gzip");
    expect(fixture.sightings).toEqual([]);
  });
});

describe("ranges of large files", () => {
  const unit = fc.constantFrom("a", "\n", "\n", "\r", "\r\n", "ä", "日本", "x".repeat(40), "\u{1F600}");

  it("equal those of a plain split, whatever the encoding and the ends of lines", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(unit, { minLength: 1, maxLength: 60 }),
        fc.constantFrom("utf8", "utf16le", "utf16be"),
        fc.nat(),
        fc.nat({ max: 50 }),
        async (pieces, encoding, from, length) => {
          const pattern = pieces.join("");
          const text = pattern.repeat(Math.ceil(150_000 / pattern.length));
          writeFileSync(fixture.path("a.txt"), encodeAs(`\uFEFF${text}`, encoding));
          const lines = splitPlainly(text);
          const start = 1 + (from % lines.length);
          const result = await read("a.txt", { start_line: start, end_line: start + length });
          expect(result.totalLines).toBe(lines.length);
          expect(result.encoding).toBe(encoding);
          const expected = lines.slice(start - 1, start + length);
          if (!result.truncated) expect(result.endLine).toBe(start + expected.length - 1);
          const got = fixture.sightings.at(-1);
          if (expected.every((line) => line.length <= 2000)) {
            expect(got).toMatchObject({ start, lines: expected.slice(0, got?.lines.length) });
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("are never those of an older content, however often others write", async () => {
    const path = fixture.path("a.txt");
    const filler = `${"y".repeat(99)}\n`.repeat(3000);
    for (let version = 0; version < 40; version += 1) {
      const mark = String(version).padStart(8, "0");
      writeFileSync(path, `${filler.slice(0, 100_000)}${mark}\n${filler}`);
      const result = await read("a.txt", { start_line: 1001, end_line: 1001 });
      expect(result.content).toBe(mark);
      if (version % 3 === 0) {
        appendFileSync(path, "more\n");
        expect((await read("a.txt", { start_line: 1001, end_line: 1001 })).totalLines).toBe(4002);
      }
    }
  });

  it("are those of the new content where a program hides its change behind the old time", async () => {
    const path = fixture.path("a.txt");
    const old = new Date(Date.now() - 60_000);
    const write = (at: number): void => {
      const lines = Array.from({ length: 4000 }, (_, line) =>
        line === at ? "y".repeat(60) : "x".repeat(50),
      );
      writeFileSync(path, lines.join("\n"));
      utimesSync(path, old, old);
    };
    for (let at = 0; at < 20; at += 1) {
      write(at * 100);
      const result = await read("a.txt", { start_line: at * 100 + 1, end_line: at * 100 + 1 });
      expect(result.content).toBe("y".repeat(60));
    }
  });

  it("come from the index the second time", async () => {
    writeFileSync(fixture.path("a.txt"), "x\n".repeat(200_000));
    const now = Date.now() + 10_000;
    const clock = { ...fixture.ctx.clock, now: () => now };
    let bytes = 0;
    const files = {
      ...fixture.ctx.files,
      open: async (path: string) => {
        const file = await fixture.ctx.files.open(path);
        const readInto = (buffer: Uint8Array, position: number): number => {
          const got = file.readInto(buffer, position);
          bytes += got;
          return got;
        };
        return { ...file, readInto };
      },
    };
    const request = { path: "a.txt", start_line: 150_000, end_line: 150_000 };
    await fixture.run(tool, request, { clock, files });
    expect(bytes).toBeGreaterThan(400_000);
    bytes = 0;
    const result = await fixture.run(tool, request, { clock, files });
    expect(result).toMatchObject({ content: "x", totalLines: 200_000, encoding: "utf8" });
    // The block in which the line is and what follows it: its start was seen the first time.
    expect(bytes).toBeLessThan(140_000);
  });

  it("are in the encoding that is detected, also after they were read in another one", async () => {
    writeFileSync(fixture.path("a.txt"), "ü\n".repeat(100_000));
    writeFileSync(fixture.path("b.bin"), Buffer.alloc(200_000, "\0\u0001\n"));
    const clock = { ...fixture.ctx.clock, now: () => Date.now() + 10_000 };
    const place = { start_line: 60_000, end_line: 60_000 };
    const readAs = (path: string, encoding: string): Promise<unknown> =>
      fixture.run(tool, { path, encoding, ...place }, { clock });
    expect(await readAs("a.txt", "latin1")).toMatchObject({ content: "Ã¼", encoding: "latin1" });
    expect(await readAs("a.txt", "auto")).toMatchObject({ content: "ü", encoding: "utf8" });
    expect(await readAs("a.txt", "latin1")).toMatchObject({ content: "Ã¼", encoding: "latin1" });
    await readAs("b.bin", "latin1");
    await expect(readAs("b.bin", "auto")).rejects.toThrow("not a text file");
  });
});

function encodeAs(text: string, encoding: string): Buffer {
  if (encoding === "utf16be") return Buffer.from(text, "utf16le").swap16();
  return Buffer.from(text, encoding as BufferEncoding);
}

/** Lines as the docs say: a carriage return alone ends lines only where no line feed does. */
function splitPlainly(text: string): string[] {
  const lines = text.includes("\n") ? text.split("\n") : text.split("\r");
  if (lines.at(-1) === "") lines.pop();
  return text.includes("\n")
    ? lines.map((line, at) => stripReturn(line, at < lines.length - 1 || text.endsWith("\n")))
    : lines;
}

function stripReturn(line: string, ended: boolean): string {
  return ended && line.endsWith("\r") ? line.slice(0, -1) : line;
}
