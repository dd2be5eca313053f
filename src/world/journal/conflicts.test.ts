import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

describe("a change that is taken back", () => {
  /** Somebody else acts after so many steps, and then the disk is full. */
  async function failAfter(steps: number, theirs: () => void, ...mutations: FileMutation[]): Promise<void> {
    await world.close();
    let taken = 0;
    world = await openWorld(base, {
      failpoint: (step) => {
        if (step !== "stepped" || (taken += 1) < steps) return;
        theirs();
        throw new Error("full disk");
      },
    });
    await expect(world.journal.apply(mutations, origin())).rejects.toThrow(/full disk|someone else/);
  }

  it("leaves a file that it had created and somebody else has written since", async () => {
    await failAfter(1, () => writeFileSync(at("new"), "theirs"), write("new"));
    expect(readFileSync(at("new"), "utf8")).toBe("theirs");
  });

  it("leaves a file that somebody else put in the place of one that it had written or moved", async () => {
    const replace = (path: string): void => {
      writeFileSync(at("theirs"), "theirs");
      renameSync(at("theirs"), at(path));
    };
    await failAfter(1, () => replace("file"), write("file"));
    expect(readFileSync(at("file"), "utf8")).toBe("theirs");
    await failAfter(1, () => replace("moved"), { op: "move", from: "file", to: "moved" });
    expect(readFileSync(at("moved"), "utf8")).toBe("theirs");
    expect(existsSync(at("file"))).toBe(false);
  });

  it("keeps files of others in a folder that it had created", async () => {
    await failAfter(1, () => writeFileSync(at("made/theirs"), "theirs"), { op: "mkdir", path: "made" });
    expect(readFileSync(at("made/theirs"), "utf8")).toBe("theirs");
  });

  it("leaves everything as it was where nobody else did anything", async () => {
    const before = snapshot(at(""));
    const mutations: FileMutation[] = [
      { op: "move", from: "file", to: "folder/inner", overwrite: true },
      { op: "move", from: "folder/inner", to: "again" },
      write("again"),
      { op: "delete", path: "folder", recursive: true },
      { op: "mkdir", path: "made/deep" },
    ];
    for (let steps = 1; steps <= 5; steps++) {
      await failAfter(steps, () => undefined, ...mutations);
      expect(snapshot(at(""))).toEqual(before);
    }
  });
});

describe("a folder of several files", () => {
  beforeEach(() => {
    mkdirSync(at("folder/deep"));
    writeFileSync(at("folder/deep/second"), "the second content");
    writeFileSync(at("folder/third"), "and a third");
    symlinkSync("third", at("folder/link"));
  });

  it("can be changed inside by the same change that moves it", async () => {
    await world.journal.apply(
      [
        { op: "move", from: "folder", to: "moved" },
        { op: "copy", from: "moved/third", to: "third" },
        { op: "copy", from: "moved/deep/second", to: "second" },
        { op: "append", path: "moved/third", data: Buffer.from(" and more") },
      ],
      origin(),
    );
    const contents = ["third", "second", "moved/third"].map((path) => readFileSync(at(path), "utf8"));
    expect(contents).toEqual(["and a third", "the second content", "and a third and more"]);
    expect(existsSync(at("folder"))).toBe(false);
  });

  it("comes back as it was before edits in it, where edits and removal are undone together", async () => {
    const lines = Array.from({ length: 2000 }, (_, line) => `line ${line} of a large file\n`).join("");
    for (const name of ["large", "deep/large", "other"])
      writeFileSync(at(`folder/${name}`), `${name}\n${lines}`);
    const before = snapshot(at(""));
    for (const name of ["large", "deep/large"]) {
      const content = readFileSync(at(`folder/${name}`));
      const start = content.indexOf("line 1000");
      const splices = [{ start, end: start + 4, data: Buffer.from("LINE") }];
      const edit: FileMutation = { op: "splice", path: `folder/${name}`, before: content, splices };
      await world.journal.apply([edit], origin(undefined, "task"));
    }
    await world.journal.apply([{ op: "delete", path: "folder", recursive: true }], origin(undefined, "task"));
    await world.journal.undo({ taskId: "task" }, origin());
    expect(snapshot(at(""))).toEqual(before);
  });

  it("is removed and brought back many times without keeping anything open", async () => {
    const before = snapshot(at(""));
    const open = (): number => readdirSync("/proc/self/fd").length;
    const round = async (): Promise<void> => {
      const removal = origin();
      await world.journal.apply([{ op: "delete", path: "folder", recursive: true }], removal);
      await world.journal.undo({ callId: removal.callId }, origin());
    };
    await round();
    const opened = open();
    for (let times = 0; times < 10; times++) await round();
    expect(open()).toBeLessThan(opened + 8);
    expect(snapshot(at(""))).toEqual(before);
  });
});

/** Without what the change had prepared in the workspace. */
function withoutOwn(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.includes(".tenon-")));
}
