import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../../runtime/sessions/session.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";

let root: string;
let workspace: string;
let tenon: Tenon;
let session: Session;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-printed-")));
  workspace = join(root, "work");
  mkdirSync(join(workspace, "src"), { recursive: true });
  tenon = createTenon({
    workspace,
    config: { stateDir: join(root, "state"), mode: "auto", sandbox: { layers: { enabled: true } } },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    home: root,
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1} of it\n`).join("");

beforeEach(() => {
  session = tenon.createSession();
  writeFileSync(join(workspace, "a.txt"), numbered(20));
  writeFileSync(join(workspace, "src/b.txt"), "one\ntwo\nthree\n");
});

async function sh(command: string, more: object = {}): Promise<void> {
  const { error } = await session.call("shell_exec", { command, ...more });
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
}

/** Whether a line may be edited; the edit is undone. */
async function edits(line: number, path = "a.txt"): Promise<string> {
  const old_str = path === "a.txt" ? `line ${line} of it` : (["one", "two", "three"][line - 1] ?? "");
  const edit = await session.call("edit_file", { path, old_str, new_str: "other" });
  if (edit.error !== undefined) return edit.error.code;
  await session.call("undo_edit", { call_id: edit.callId });
  return "ok";
}

/** The first line before, the first and last line in, and the first line after a range. */
async function judge(first: number, last: number): Promise<string[]> {
  const codes = [];
  for (const line of [first - 1, first, last, last + 1]) {
    if (line >= 1 && line <= 20) codes.push(await edits(line));
  }
  return codes;
}

describe("what a command printed of a file", () => {
  it.each([
    ["cat a.txt", 1, 20],
    ["cat ./src/../a.txt 2>/dev/null", 1, 20],
    ["cat -n a.txt", 1, 20],
    ["nl -ba a.txt", 1, 20],
    ["head a.txt", 1, 10],
    ["head -n 3 a.txt", 1, 3],
    ["head -3 a.txt", 1, 3],
    ["head -n -15 a.txt", 1, 5],
    ["tail -n 4 a.txt", 17, 20],
    ["tail -n +19 a.txt", 19, 20],
    ["sed -n '5,7p' a.txt", 5, 7],
    ["sed -n 18,\\$p a.txt", 18, 20],
    ["sed -n -e '5p;6,7p' a.txt", 5, 7],
    ["cat a.txt | head -8 | tail -n 2", 7, 8],
    ["echo '--- a'; sed -n '5,7p' a.txt && echo done", 5, 7],
    ["cat src/b.txt; head -2 a.txt", 1, 2],
    ["cd src && tail -n 2 ../a.txt", 19, 20],
    ["grep -n 'line 1[34]' a.txt", 13, 14],
    ["grep -n -A1 'line 13' a.txt", 13, 14],
    ["grep -rn 'line 1[34]' .", 13, 14],
    ["touch new && sed -n '5,7p' a.txt", 5, 7],
  ])("counts as seen, and nothing else does: %s", async (command, first, last) => {
    await sh(command);
    const codes = await judge(first, last);
    const expected = [first - 1, first, last, last + 1].filter((line) => line >= 1 && line <= 20);
    expect(codes).toEqual(expected.map((line) => (line >= first && line <= last ? "ok" : "EDIT_NOT_READ")));
  });

  it.each([
    ["grep 'line 5' a.txt"],
    ["grep -no 'line 5' a.txt"],
    ["sed -n '5p' a.txt | tr e E"],
    ["sed -n '5s/l/L/p' a.txt"],
    ["cat a.txt | sort -r"],
    ["cat a.txt >/dev/null"],
    ["cut -c1-40 a.txt | cat"],
    ["(sed -n '5p' a.txt)"],
    ["cat a.txt; echo more; false"],
    ["echo one; python3 -c 'print(5)'; cat a.txt"],
    ["cat a.txt && echo x >>a.txt"],
  ])("does not count where it is not printed as it is: %s", async (command) => {
    await sh(command);
    expect(await edits(5)).toBe("EDIT_NOT_READ");
  });

  it("does not count where the output was cut, or only its changes were returned", async () => {
    writeFileSync(join(workspace, "a.txt"), numbered(20_000));
    await sh("cat a.txt");
    expect(await edits(5)).toBe("EDIT_NOT_READ");
    writeFileSync(join(workspace, "a.txt"), numbered(20));
    await sh("cat a.txt");
    writeFileSync(join(workspace, "a.txt"), numbered(20).replace("line 5 of", "LINE 5 of"));
    await sh("cat a.txt", { since_last: true });
    const edit = { path: "a.txt", old_str: "LINE 5 of it", new_str: "x" };
    expect((await session.call("edit_file", edit)).error?.code).toBe("EDIT_STALE");
  });

  it("makes the whole file known, so that it can be written over", async () => {
    const write = { path: "src/b.txt", content: "new\n" };
    expect((await session.call("write_file", write)).error?.code).toBe("EDIT_NOT_READ");
    await sh("cat src/b.txt");
    expect((await session.call("write_file", write)).error).toBeUndefined();
  });
});

describe("what a command changed", () => {
  it("counts as not seen until it is read again", async () => {
    await session.call("read_file", { path: "a.txt" });
    await sh("sed -i 's/^line 5 .*/line 5 was changed/' a.txt; sed -i '$a last' a.txt");
    const edit = (old_str: string) => session.call("edit_file", { path: "a.txt", old_str, new_str: "x" });
    expect((await edit("line 5 was changed")).error?.code).toBe("EDIT_STALE");
    expect((await edit("last")).error?.code).toBe("EDIT_STALE");
    expect((await session.call("write_file", { path: "a.txt", content: "all\n" })).error?.code).toBe(
      "EDIT_STALE",
    );
    await sh("sed -n '4,6p' a.txt");
    expect((await edit("line 5 was changed")).error).toBeUndefined();
    // Lines that nobody changed are still known.
    expect((await edit("line 12 of it")).error).toBeUndefined();
  });

  it("is unknown where the command created it", async () => {
    await sh("printf 'a\\nb\\n' >made.txt");
    const write = { path: "made.txt", content: "c\n" };
    expect((await session.call("write_file", write)).error?.code).toBe("EDIT_NOT_READ");
    await sh("printf 'a\\nb\\nc\\n' >made.txt; cat made.txt");
    expect((await session.call("write_file", write)).error).toBeUndefined();
  });
});
