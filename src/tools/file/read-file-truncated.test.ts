import { mkdirSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tool } from "../../contract/tool.js";
import { createSyntax } from "../../syntax/create-syntax.js";
import { createLineReader } from "./lines/line-reader.js";
import { createReadFileTruncated } from "./read-file-truncated.js";
import { openReadFixture, type ReadFixture } from "./testing/read-fixture.js";
import { randomCases } from "../../../test/setup/random-cases.js";

interface Skimmed {
  content: string;
  kind: string;
  truncated: boolean;
  totalLines: number | null;
  omitted: { startLine: number; endLine: number } | null;
}

let fixture: ReadFixture;
let tool: Tool;

beforeEach(() => {
  fixture = openReadFixture();
  tool = createReadFileTruncated({ lines: createLineReader(), syntax: createSyntax() });
});
afterEach(() => fixture.close());

const skim = async (path: string, more: object = {}): Promise<Skimmed> =>
  (await fixture.run(tool, { path, ...more })) as unknown as Skimmed;
const shown = (result: Skimmed): string => tool.render?.(result, {}) as string;

const source = `import { x } from "y";\n\nexport class Store {\n  get(key: string): string {\n    return key;\n  }\n}\n\nexport function open(path: string): Store {\n${"  // filler\n".repeat(300)}  return new Store();\n}\n`;

describe("read_file_truncated", () => {
  it("shows the structure of code, with lines", async () => {
    writeFileSync(fixture.path("a.ts"), source);
    const result = await skim("a.ts");
    expect(result).toMatchObject({ kind: "structure", truncated: true });
    expect(result.content).toMatch(/3-7: .*class Store/);
    expect(result.content).toMatch(/ {2}4-6: .*get\(key: string\)/);
    expect(result.content).toMatch(/9-311: .*function open\(path: string\): Store/);
    expect(fixture.sightings).toEqual([]);
  });

  it("drops inner levels of a structure that is too long", async () => {
    const classes = Array.from(
      { length: 20 },
      (_, at) => `class C${at} {\n  method${at}(): void {}\n}\n`,
    ).join("");
    writeFileSync(fixture.path("a.ts"), classes);
    const result = await skim("a.ts", { max_chars: 400 });
    expect(result.content).toContain("class C19");
    expect(result.content).not.toContain("method");
    expect(result.content.length).toBeLessThanOrEqual(400);
  });

  it("shows a text that fits as it is, and counts it as seen", async () => {
    writeFileSync(fixture.path("a.txt"), "one\ntwo\n");
    const result = await skim("a.txt");
    expect(result).toMatchObject({ kind: "whole", content: "one\ntwo\n", truncated: false, omitted: null });
    expect(shown(result)).toBe("1\tone\n2\ttwo");
    expect(fixture.sightings).toMatchObject([{ start: 1, lines: ["one", "two"], complete: true }]);
  });

  it("shows head and tail of other text, cut at line ends", async () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `line ${at + 1}`);
    writeFileSync(fixture.path("a.txt"), `${lines.join("\n")}\n`);
    const result = await skim("a.txt", { max_chars: 200 });
    expect(result.content).toMatch(/^line 1\nline 2\n.*\[… \d+ lines left out …\]\n.*line 999\nline 1000$/s);
    expect(result.content.length).toBeLessThanOrEqual(200);
    expect(shown(result)).toMatch(/^ *1\tline 1\n/);
    expect(shown(result)).toMatch(/\n1000\tline 1000$/);
    expect(fixture.sightings).toHaveLength(2);
  });

  it("keeps the promised length and the truth about lines, whatever the text", async () => {
    const line = fc
      .string({ unit: "grapheme", maxLength: 80 })
      .map((text) => text.replaceAll(/[\r\n\0]/g, "-"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 3000 }),
        fc.boolean(),
        async (lines, maxChars, ended) => {
          fixture.sightings.length = 0;
          writeFileSync(fixture.path("a.txt"), lines.join("\n") + (ended ? "\n" : ""));
          const result = await skim("a.txt", { max_chars: maxChars });
          expect(result.content.length).toBeLessThanOrEqual(maxChars);
          for (const { start, lines: seen } of fixture.sightings) {
            expect(seen).toEqual(lines.slice(start - 1, start - 1 + seen.length));
          }
        },
      ),
      { numRuns: randomCases(150) },
    );
  });

  it("shows the beginning of one endless line", async () => {
    writeFileSync(fixture.path("a.txt"), "x".repeat(500_000));
    const result = await skim("a.txt", { max_chars: 100 });
    expect(result.content.length).toBeLessThanOrEqual(100);
    expect(result).toMatchObject({ truncated: true, totalLines: 1 });
    expect(fixture.sightings).toEqual([]);
  });

  it("describes binary files and lists directories", async () => {
    writeFileSync(fixture.path("a.bin"), Buffer.from([0, 1, 2, 0, 255]));
    mkdirSync(fixture.path("dir/sub"), { recursive: true });
    expect(await skim("a.bin")).toMatchObject({ kind: "description", totalLines: null });
    expect(await skim("dir")).toMatchObject({ kind: "listing", content: "sub/" });
  });
});
