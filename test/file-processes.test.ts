import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTenon } from "../src/index.js";
import { openWorld } from "../src/world/journal/testing/open-world.js";
import { snapshot } from "../src/world/journal/testing/snapshot.js";
import { killEverywhere } from "./setup/kill-everywhere.js";
import { memoryDir } from "./setup/memory-dir.js";
import { buildProgram } from "./setup/program-dir.js";

let program: string;
let base: string;

beforeAll(async () => {
  program = await buildProgram(join(import.meta.dirname, "file-child.ts"));
});

beforeEach(() => {
  base = mkdtempSync(join(memoryDir(), "tenon-file-processes-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Run the child to its end: the signal that killed it, or its exit code. */
function run(...args: string[]): Promise<NodeJS.Signals | number | null> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "inherit"] });
    child.on("error", fail).on("exit", (code, signal) => done(signal ?? code));
  });
}

describe("several processes on one file", () => {
  it("lose none of each other's edits", { timeout: 120_000 }, async () => {
    const marks = ["one", "two", "three", "four"];
    const count = 8;
    const lines = Array.from({ length: count }, (_, n) => marks.map((mark) => `${mark} ${n} open`)).flat();
    mkdirSync(join(base, "workspace"));
    writeFileSync(join(base, "workspace/shared.txt"), `${lines.join("\n")}\n`);
    const ends = await Promise.all(marks.map((mark) => run("lines", base, mark, String(count))));
    expect(ends).toEqual([0, 0, 0, 0]);
    const expected = lines.flatMap((line) => [line.replace("open", "done"), line.replace("open", "more")]);
    expect(readFileSync(join(base, "workspace/shared.txt"), "utf8")).toBe(`${expected.join("\n")}\n`);
    const tenon = createTenon({
      workspace: join(base, "workspace"),
      config: { stateDir: join(base, "state"), mode: "auto" },
    });
    for (const _ of lines) await tenon.call({ name: "undo_edit", arguments: { path: "shared.txt" } });
    await tenon.close();
    expect(readFileSync(join(base, "workspace/shared.txt"), "utf8")).toBe(`${lines.join("\n")}\n`);
  });
});

const large = `${Array.from({ length: 8000 }, (_, n) => `line ${n} of a file that is kept as a difference`).join("\n")}\n`;
const files = {
  "edit.txt": "one\ntwo\nthree\n",
  "gone.txt": "gone\n",
  "old.txt": "old\n",
  "large.txt": large,
};
const diff = [
  "--- a/edit.txt",
  "+++ b/edit.txt",
  "@@ -1,3 +1,3 @@",
  " one",
  "-two",
  "+TWO",
  " three",
  "--- a/gone.txt",
  "+++ /dev/null",
  "@@ -1 +0,0 @@",
  "-gone",
  "diff --git a/old.txt b/sub/new.txt",
  "rename from old.txt",
  "rename to sub/new.txt",
  "--- a/old.txt",
  "+++ b/sub/new.txt",
  "@@ -1 +1 @@",
  "-old",
  "+new",
  "--- a/large.txt",
  "+++ b/large.txt",
  "@@ -100,1 +100,1 @@",
  "-line 99 of a file that is kept as a difference",
  "+LINE 99",
  "--- /dev/null",
  "+++ b/made/deep.txt",
  "@@ -0,0 +1 @@",
  "+made",
  "",
].join("\n");

function plant(): void {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(join(base, "ws"), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(base, "ws", name), content);
}

describe("a process killed at any step of apply_diff", () => {
  it("leaves all files changed or none", { timeout: 240_000 }, async () => {
    const paths = Object.keys(files).join(",");
    plant();
    const before = snapshot(join(base, "ws"));
    expect(await run("diff", base, "0", diff, paths)).toBe(0);
    const after = snapshot(join(base, "ws"));
    expect(after).not.toEqual(before);
    const outcomes = new Set<string>();
    const last = await killEverywhere(async (step) => {
      plant();
      const end = await run("diff", base, String(step), diff, paths);
      if (end === 0) return false;
      expect(end).toBe("SIGKILL");
      const world = await openWorld(base);
      expect((await world.journal.recover()).failed).toEqual([]);
      const now = snapshot(world.root);
      expect([before, after]).toContainEqual(now);
      outcomes.add(isDeepStrictEqual(now, before) ? "none" : "all");
      expect(await world.state.integrity()).toMatchObject({ ok: true });
      await world.close();
      return true;
    }, 4);
    expect(last).toBeGreaterThan(20);
    expect(outcomes).toEqual(new Set(["none", "all"]));
  });
});

describe("a named session", () => {
  const open = () =>
    createTenon({
      workspace: join(base, "workspace"),
      config: { stateDir: join(base, "state"), mode: "auto" },
    });

  it("knows in its next process what it has read", async () => {
    mkdirSync(join(base, "workspace/dir"), { recursive: true });
    const file = join(base, "workspace/dir/a.txt");
    writeFileSync(file, "one\ntwo\nthree\n");
    const call = async (name: string, args: object, session = "cli") => {
      const tenon = open();
      const answer = await (await tenon.openNamedSession(session)).call({ name, arguments: args });
      await tenon.close();
      return answer;
    };
    const path = "dir/a.txt";
    await call("read_file", { path, start_line: 1, end_line: 1 });
    await call("read_file", { path, start_line: 3, end_line: 3 });
    const other = await call("edit_file", { path, old_str: "one", new_str: "1" }, "other");
    expect(other).toFailWith("EDIT_NOT_READ");
    expect(await call("edit_file", { path, old_str: "one", new_str: "1" })).toSucceed();
    expect(await call("edit_file", { path, old_str: "three", new_str: "3" })).toSucceed();
    expect(await call("edit_file", { path, old_str: "two", new_str: "2" })).toFailWith("EDIT_NOT_READ");
    await call("move_file", { from: "dir", to: "moved" });
    expect(await call("edit_file", { path: "moved/a.txt", old_str: "3", new_str: "drei" })).toSucceed();
    await call("delete_file", { path: "moved/a.txt" });
    writeFileSync(join(base, "workspace/moved/a.txt"), "1\n");
    const forgotten = await call("edit_file", { path: "moved/a.txt", old_str: "1", new_str: "x" });
    expect(forgotten).toFailWith("EDIT_NOT_READ");
  });

  it("keeps large files too, and undoes its last change", async () => {
    mkdirSync(join(base, "workspace"));
    const lines = Array.from({ length: 60_000 }, (_, n) => `line ${n} \u00e9\u6f22 with some more text`);
    let tenon = open();
    let session = await tenon.openNamedSession("cli");
    await session.call({ name: "write_file", arguments: { path: "l", content: lines.join("\n") } });
    await tenon.close();
    tenon = open();
    session = await tenon.openNamedSession("cli");
    const answer = await session.call({ name: "write_file", arguments: { path: "l", content: "short" } });
    expect(answer).toSucceed();
    await tenon.close();
    tenon = open();
    session = await tenon.openNamedSession("cli");
    expect(await session.call({ name: "undo_edit", arguments: {} })).toSucceed();
    expect(readFileSync(join(base, "workspace/l"), "utf8")).toBe(`${lines.join("\n")}\n`);
    await tenon.close();
  });
});
