import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import { openWorld, origin, type World } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let world: World;
/** What somebody else does after the change was planned, before its first step. */
let meanwhile: () => void;

beforeEach(async () => {
  base = tempDir("conflicts");
  mkdirSync(join(base, "ws/folder"), { recursive: true });
  writeFileSync(at("file"), "before");
  writeFileSync(at("folder/inner"), "inner");
  meanwhile = () => undefined;
  world = await openWorld(base, {
    failpoint: (step) => {
      if (step === "committing") meanwhile();
    },
  });
});

afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, "ws", path);
const write = (path: string): FileMutation => ({ op: "write", path, data: Buffer.from("mine") });

const cases: readonly [what: string, mutation: FileMutation, theirs: () => void, message: string][] = [
  ["a file that appears", write("new"), () => writeFileSync(at("new"), "theirs"), "already exists"],
  ["a link that appears", write("new"), () => symlinkSync("file", at("new")), "already exists"],
  ["a folder that appears", write("new"), () => mkdirSync(at("new")), "already exists"],
  ["a file that is gone", write("file"), () => rmSync(at("file")), "was deleted by someone else"],
  [
    "a file that changed",
    write("file"),
    () => writeFileSync(at("file"), "theirs"),
    "changed by someone else",
  ],
  [
    "a file that became a link",
    write("file"),
    () => {
      rmSync(at("file"));
      symlinkSync("folder/inner", at("file"));
    },
    "changed by someone else",
  ],
  [
    "a deleted file that changed",
    { op: "delete", path: "file" },
    () => writeFileSync(at("file"), "theirs"),
    "changed by someone else",
  ],
  [
    "a moved file that is gone",
    { op: "move", from: "file", to: "moved" },
    () => rmSync(at("file")),
    "was deleted by someone else",
  ],
  [
    "the goal of a move that appears",
    { op: "move", from: "file", to: "moved" },
    () => writeFileSync(at("moved"), "theirs"),
    "already exists",
  ],
];

describe("what somebody else does between the plan and the change", () => {
  it.each(cases)("%s is a conflict, and nothing is changed", async (_what, mutation, theirs, message) => {
    let found: Record<string, string> = {};
    meanwhile = () => {
      theirs();
      found = withoutOwn(snapshot(at("")));
    };
    const change = world.journal.apply([mutation], origin());
    await expect(change).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    await expect(change).rejects.toThrow(message);
    expect(snapshot(at(""))).toEqual(found);
    expect(await world.state.journal.unfinished()).toEqual([]);
  });

  it("leaves files beside it alone, and another change goes through", async () => {
    meanwhile = () => writeFileSync(at("other"), "theirs");
    await world.journal.apply([write("new")], origin());
    expect(readFileSync(at("new"), "utf8")).toBe("mine");
    expect(lstatSync(at("other")).size).toBe(6);
  });

  it("refuses to remove a folder that something was added to", async () => {
    meanwhile = () => writeFileSync(at("folder/added"), "theirs");
    const change = world.journal.apply([{ op: "delete", path: "folder", recursive: true }], origin());
    await expect(change).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    expect(readFileSync(at("folder/added"), "utf8")).toBe("theirs");
    expect(readFileSync(at("folder/inner"), "utf8")).toBe("inner");
  });
});

/** Without what the change had prepared in the workspace. */
function withoutOwn(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.includes(".tenon-")));
}
