import { stripVTControlCharacters } from "node:util";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runTenon, type Ended } from "./testing/run-tenon.js";
import { callText } from "./tool-page.js";
import { columnsOf } from "./wrap.js";

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "tenon-tool-list-"));
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = (args: readonly string[], columns?: number): Promise<Ended> =>
  runTenon(args, {
    cwd,
    env: { TENON_STATE_DIR: join(cwd, "state"), FORCE_COLOR: "1" },
    ...(columns !== undefined && { columns }),
  });

const linesOf = (text: string): string[] => stripVTControlCharacters(text).split("\n");

describe("tenon tools", () => {
  it.each([40, 80, 300])("fits a terminal of %i columns, grouped, with a legend", async (columns) => {
    const { out } = await run(["tools"], columns);
    const lines = linesOf(out);
    const tooLong = lines.filter((line) => columnsOf(line) > columns);
    expect(tooLong).toEqual([]);
    expect(lines[0]).toMatch(/^ {2}TOOL +NOTES +DESCRIPTION/);
    expect(lines.findIndex((line) => line.startsWith("FILE ("))).toBeLessThan(
      lines.findIndex((line) => line.startsWith("  read_file")),
    );
    expect(lines.join(" ")).toContain("Arguments and examples of a tool: tenon tools NAME");
  });

  it.each([40, 80, 300])(
    "has help, a log, statistics, rules and a check that fit %i columns",
    async (columns) => {
      await run(["call", "read_file", "path=a-name-of-a-file-that-is-nowhere.txt"]);
      await run([
        "policy",
        "allow",
        "--tool",
        "shell_exec",
        "--command",
        "git commit *",
        "--command",
        "git add *",
      ]);
      for (const words of ["--help", "policy allow --help", "log", "tools stats", "policy list", "doctor"]) {
        const { out } = await run(words.split(" "), columns);
        const tooLong = linesOf(out).filter((line) => columnsOf(line) > columns && /\s/.test(line.trim()));
        // A path, a pattern or a usage line is left whole, to be copied.
        expect(
          tooLong.filter((line) => !/^Usage:|[/*]/.test(line)),
          words,
        ).toEqual([]);
      }
    },
  );

  it("prints whole descriptions and no legend into a pipe", async () => {
    const { out } = await run(["tools"]);
    expect(out).toContain("'@@ heading' lines say which class or function they belong to.");
    expect(out).not.toContain("tenon tools NAME");
  });

  it.each([40, 100])("shows one tool as lists within %i columns, with examples to paste", async (columns) => {
    const { out } = await run(["tools", "read_file"], columns);
    const lines = linesOf(out);
    const text = lines
      .filter((line) => !line.startsWith("  tenon call"))
      .filter((line) => columnsOf(line) > columns);
    expect(text).toEqual([]);
    expect(lines.join("\n")).toMatch(/^ {2}path +string, required/m);
    expect(lines.join("\n")).toMatch(/^ {2}encoding +string = "auto"/m);
    expect(lines).toContain("  tenon call read_file path=app.log start_line=5000 end_line=5100");
    expect(out).not.toContain('"properties"');
  });

  it("prints the schemas with --json", async () => {
    const { out } = await run(["tools", "read_file", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ inputSchema: { required: ["path"] } });
  });
});

describe("callText", () => {
  it.each([
    [{ path: "a b.txt", deep: true }, "tenon call t 'path=a b.txt' deep=true"],
    [{ text: "it's" }, `tenon call t 'text=it'\\''s'`],
    [{ list: [1] }, `tenon call t '{"list":[1]}'`],
    [{}, "tenon call t"],
  ])("writes %j as %s", (args, command) => {
    expect(callText("t", args)).toBe(command);
  });
});
