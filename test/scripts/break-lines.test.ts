import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, describe, expect, it } from "vitest";
import { breakLinesIn } from "../../scripts/break-lines.mjs";

const dir = mkdtempSync(join(tmpdir(), "tenon-lines-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("breaking the lines of the bundle", () => {
  it("keeps what the code does and what its source map says", async () => {
    const parts = Array.from({ length: 40 }, (_, at) => {
      const text = `\`a;b{function(){}}${at % 8 === 0 ? "\n" : ""}\${[${at}].map((n) => { let m = n + 1; if (m > 3) m--; return m; })};\``;
      return `class C${at} { x = ${at}; static { C${at}.seen = true; } get y() { do this.x++; while (this.x < 9); return this.x; } }
function f${at}(n) { "use strict"; label: for (;;) { if (n) break label; else { n = "…"; } } return n
+ ${text} + /;{/.source }
out.push(f${at}(C${at}.seen && new C${at}().y));`;
    });
    writeFileSync(join(dir, "in.js"), `const out = [];\n${parts.join("\n")}\nconsole.log(out.join());`);
    const bundle = await rolldown({ input: join(dir, "in.js"), platform: "node" });
    await bundle.write({
      file: join(dir, "out.cjs"),
      format: "cjs",
      sourcemap: true,
      minify: { mangle: true },
    });
    await bundle.close();
    const read = () => ({
      code: readFileSync(join(dir, "out.cjs"), "utf8"),
      printed: spawnSync(process.execPath, [join(dir, "out.cjs")], { encoding: "utf8" }).stdout,
      map: new SourceMap(JSON.parse(readFileSync(join(dir, "out.cjs.map"), "utf8")) as SourceMapPayload),
    });
    const before = read();
    breakLinesIn(dir);
    const after = read();
    expect(Math.max(...before.code.split("\n").map(({ length }) => length))).toBeGreaterThan(900);
    expect(Math.max(...after.code.split("\n").map(({ length }) => length))).toBeLessThan(500);
    expect(before.printed.length).toBeGreaterThan(900);
    expect(after.printed).toBe(before.printed);
    for (let at = 0; at < 40; at++) {
      const placeOf = ({ code, map }: typeof before) => {
        const lines = code.slice(0, code.indexOf(`=${at};static`)).split("\n");
        const { originalLine, originalColumn } = map.findEntry(lines.length - 1, lines.at(-1)!.length) as {
          originalLine: number;
          originalColumn: number;
        };
        return [originalLine, originalColumn];
      };
      expect(placeOf(after)).toEqual(placeOf(before));
      expect(placeOf(after)[0]).toBe(1 + at * 4 + Math.ceil(at / 8));
    }
  });
});
