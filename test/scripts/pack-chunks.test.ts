import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packChunksIn } from "../../scripts/pack-chunks.mjs";

const code = `const path = require("node:path");
exports.texts = ["…", \`a\${"€"}b→\`, "\\u2026😀", /[‘’]/u.test("’"), String.raw\`é\\n\`, /^😀$/u.test("😀")];
exports.folder = path.basename(__dirname); exports.isSelf = this === exports && module.exports === exports;`;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "tenon-pack-"));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe("the build", () => {
  it("packs a module so that `require` finds the same in it", () => {
    writeFileSync(join(dir, "plain.cjs"), code);
    const plain: unknown = createRequire(join(dir, "_"))("./plain.cjs");
    packChunksIn(dir, /./);
    writeFileSync(join(dir, "packed.cjs"), readFileSync(join(dir, "plain.cjs")));
    expect(createRequire(join(dir, "_"))("./packed.cjs")).toEqual(plain);
    expect(plain).toMatchObject({ isSelf: true, texts: ["…", "a€b→", "…😀", true, "é\\n", true] });
  });

  it("packs a module as the function that runs it, in ASCII where that means the same", () => {
    writeFileSync(join(dir, "a.cjs"), code.replace(", String.raw`é\\n`", ""));
    packChunksIn(dir, /./);
    const text = readFileSync(join(dir, "a.cjs"), "utf8");
    // oxlint-disable-next-line no-control-regex -- the range of ASCII
    expect(text).toMatch(/^[\x00-\x7f]*$/);
    const run = new Script(text).runInThisContext() as (...values: unknown[]) => void;
    const module = { exports: { texts: [] as unknown[] } };
    run.call(module.exports, module.exports, createRequire(join(dir, "_")), module, "a.cjs", dir);
    expect(module.exports.texts.slice(0, 3)).toEqual(["…", "a€b→", "…😀"]);
  });

  it("packs no other modules", () => {
    writeFileSync(join(dir, "other-1.cjs"), code);
    packChunksIn(dir, /^start-/);
    expect(readFileSync(join(dir, "other-1.cjs"), "utf8")).toBe(code);
  });

  it("leaves a packed module as it is, and a character after a backslash", () => {
    writeFileSync(join(dir, "a.cjs"), 'exports.a = /\\–/.test("–");');
    packChunksIn(dir, /./);
    const once = readFileSync(join(dir, "a.cjs"), "utf8");
    packChunksIn(dir, /./);
    expect(readFileSync(join(dir, "a.cjs"), "utf8")).toBe(once);
    expect(createRequire(join(dir, "_"))("./a.cjs")).toEqual({ a: true });
  });

  it("moves the source map along", () => {
    writeFileSync(join(dir, "a.cjs"), 'f("…€", g);\nh("…", i);');
    // Segments at columns 0, 2 and 8 of the first line, and at 7 of the second.
    const sources = { version: 3, sources: ["a.ts"], names: [], mappings: "AAAA,EAAE,MAAM;OAAP" };
    writeFileSync(join(dir, "a.cjs.map"), JSON.stringify(sources));
    packChunksIn(dir, /./);
    const { mappings } = JSON.parse(readFileSync(join(dir, "a.cjs.map"), "utf8")) as { mappings: string };
    // A line more at the top; each character became five longer.
    expect(mappings).toBe(";AAAA,EAAE,gBAAM;YAAP");
  });
});
