import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import { openBlobs } from "../../store/blobs.js";
import { identityOf } from "../files/file-stat.js";
import { chooseOpener } from "../files/opener.js";
import { createPathRules } from "../files/path-rules.js";
import { openBelow } from "../testing/open-below.js";
import { createKeptFiles } from "./kept-files.js";
import { stampOf } from "./open-path.js";
import { createPlan, type Plan, type PlannedStep } from "./plan.js";
import { planMutation, type MutationDeps } from "./plan-mutation.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let plan: Plan;
let deps: MutationDeps;

beforeEach(() => {
  base = tempDir("plan");
  for (const name of ["ws", "ws/d", "state", "state/blobs"]) mkdirSync(join(base, name));
  writeFileSync(at("f"), "before", { mode: 0o640 });
  writeFileSync(at("d/inner"), "inner", { mode: 0o600 });
  symlinkSync("f", at("l"));
  const opener = chooseOpener();
  const rules = createPathRules({
    workspace: join(base, "ws"),
    stateDir: join(base, "state"),
    protectedGlobs: [],
  });
  let ids = 0;
  const blobs = openBlobs(join(base, "state/blobs"), () => `id${(ids += 1)}`);
  const kept = createKeptFiles({ dir: join(base, "state/kept"), maxBulkBytes: 1e9, now: () => 0 });
  deps = { opener, rules, kept, root: join(base, "ws"), maxFileSize: 1000 };
  plan = createPlan({ opener, blobs, token: "T", maxBytes: 1e9, stop: {} });
});
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, "ws", path);
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const own = { uid: process.getuid?.(), gid: process.getgid?.() };
const stampAt = (path: string): string => stampOf(lstatSync(at(path), { bigint: true }));
const bytes = (text: string): Uint8Array => Buffer.from(text);
const write = (path: string, text: string, more: object = {}): FileMutation => ({
  op: "write",
  path,
  data: bytes(text),
  ...more,
});
async function steps(...mutations: FileMutation[]): Promise<readonly PlannedStep[]> {
  for (const mutation of mutations) await planMutation(deps, plan, mutation);
  return plan.steps();
}
const file = (text: string, mode?: number) => ({
  type: "file",
  hash: sha(text),
  size: text.length,
  ...(mode !== undefined && { mode, ...own }),
});
const temp = (seq: number, folder = ""): string => at(join(folder, `.tenon-T-${seq}.tmp`));

describe("the steps of a mutation", () => {
  it("that writes a file replace it, with its mode and owner", async () => {
    expect(await steps(write("f", "after"))).toMatchObject([
      {
        change: {
          op: "write",
          step: {
            kind: "set",
            path: at("f"),
            before: file("before", 0o640),
            after: file("after", 0o640),
            temp: temp(0),
          },
          sizeBefore: 6,
          sizeAfter: 5,
          implied: false,
          blobs: [
            { hash: sha("before"), size: 6 },
            { hash: sha("after"), size: 5 },
          ],
        },
        expects: [{ real: at("f"), stamp: stampAt("f") }],
        madeBy: undefined,
        text: "f",
      },
    ]);
    expect(plan.steps()[0]?.change).not.toHaveProperty("inverts");
  });

  it("that writes a new file make its folders, each prepared where there is one", async () => {
    const found = await steps(write("new/deep/f", "x", { options: { mode: 0o7755 } }));
    expect(
      found.map(({ change }) => [change.op, change.implied, change.sizeBefore, change.sizeAfter]),
    ).toEqual([
      ["write", true, null, 0],
      ["write", true, null, 0],
      ["write", false, null, 1],
    ]);
    const paths = ["new", "new/deep", "new/deep/f"];
    for (const [seq, { change, expects }] of found.entries()) {
      expect(change.step).toMatchObject({
        kind: "set",
        path: at(paths[seq] ?? ""),
        before: null,
        temp: temp(seq),
      });
      expect(expects).toEqual([{ real: at(paths[seq] ?? ""), stamp: null }]);
    }
    expect(found[2]?.change.step).toMatchObject({ after: { ...file("x"), mode: 0o755 } });
    expect(found[0]?.content).toEqual({ image: { type: "directory", tree: null, size: 0 } });
  });

  it("that follows another see what that leaves, and expect nothing of the disk", async () => {
    const found = await steps(
      write("f", "one"),
      { op: "append", path: "f", data: bytes("+two") },
      { op: "copy", from: "f", to: "g" },
    );
    expect(found.map(({ change }) => change.sizeAfter)).toEqual([3, 7, 7]);
    expect(found[1]).toMatchObject({
      change: { op: "append", step: { before: file("one", 0o640), after: file("one+two", 0o640) } },
      expects: [],
    });
    expect(found[2]).toMatchObject({
      change: {
        op: "copy",
        step: { path: at("g"), before: null, after: { ...file("one+two"), mode: 0o640 } },
      },
    });
  });

  it("that removes a file, a link or a folder keep what they were", async () => {
    const folder = await steps(
      { op: "delete", path: "f" },
      { op: "delete", path: "l" },
      { op: "delete", path: "d", recursive: true },
    );
    expect(folder.map(({ change }) => [change.op, change.sizeBefore, change.sizeAfter])).toEqual([
      ["delete", 6, null],
      ["delete", 1, null],
      ["delete", 5, null],
    ]);
    expect(folder.map(({ change }) => change.step)).toMatchObject(
      [
        { before: file("before", 0o640), after: null },
        { before: { type: "symlink", target: "f", size: 1 }, after: null },
        {
          before: { type: "directory", mode: 0o755, size: 5, tree: /^[0-9a-f]{64}$/u, pack: sha("inner") },
          after: null,
        },
      ].map((each) => ({
        ...each,
        before: {
          ...each.before,
          ...("tree" in each.before && {
            tree: expect.stringMatching(each.before.tree) as unknown,
          }),
        },
      })),
    );
    expect(folder[2]?.expects).toEqual([
      { real: at("d"), stamp: stampAt("d"), treeStamp: expect.stringMatching(/^[0-9a-f]{64}$/u) as unknown },
    ]);
  });

  it("that moves something remember what it is, and what it replaces", async () => {
    const [move, over] = await steps(
      { op: "move", from: "d", to: "e" },
      { op: "move", from: "l", to: "f", overwrite: true },
    );
    const inode = (path: string): string => {
      const { dev, ino } = lstatSync(at(path), { bigint: true });
      return `${dev}:${ino}`;
    };
    expect(move).toMatchObject({
      change: {
        op: "move",
        step: {
          kind: "move",
          from: at("d"),
          to: at("e"),
          inode: inode("d"),
          moved: { type: "directory", size: 0 },
          overwritten: null,
          temp: temp(0),
        },
        sizeBefore: 0,
        sizeAfter: 0,
      },
      content: null,
      expects: [
        { real: at("d"), stamp: stampAt("d") },
        { real: at("e"), stamp: null },
      ],
      text: "e",
    });
    expect(over?.change).toMatchObject({
      step: {
        inode: inode("l"),
        moved: { type: "symlink", target: "f", size: 1 },
        overwritten: file("before", 0o640),
      },
      blobs: [{ hash: sha("before"), size: 6 }],
    });
  });

  it("that moves a file over another name of it only take the name away", async () => {
    execFileSync("ln", [at("f"), at("f2")]);
    const [step, ...others] = await steps({ op: "move", from: "f", to: "f2", overwrite: true });
    expect(others).toEqual([]);
    expect(step?.change).toMatchObject({ op: "move", step: { kind: "set", path: at("f"), after: null } });
    plan = createPlan({ ...plan.deps, token: "T", maxBytes: 1e9, stop: {} });
    expect(await steps({ op: "move", from: "f", to: "f" })).toEqual([]);
  });

  it("that changes a folder and then moves or removes it find what was changed in it", async () => {
    const [, move, removal] = await steps(
      write("d/new", "new"),
      { op: "move", from: "d", to: "e" },
      { op: "delete", path: "e", recursive: true },
    );
    expect(move?.expects).toMatchObject([{ real: at("d") }, { real: at("e"), stamp: null }]);
    const entries = JSON.parse(
      Buffer.from(
        await plan.deps.blobs.read(
          ((removal as PlannedStep).change.step as { before: { manifest: string } }).before.manifest,
        ),
      ).toString(),
    ) as object[];
    expect(entries).toEqual([
      { ...own, path: "inner", type: "file", mode: 0o600, size: 5, hash: sha("inner"), offset: 0 },
      { ...own, path: "new", type: "file", mode: 0o644, size: 3, hash: sha("new"), offset: 5 },
    ]);
    expect(removal).toMatchObject({
      change: { sizeBefore: 8, step: { before: { pack: sha("innernew"), size: 8 } } },
      expects: [],
    });
  });

  it("that sets nothing are none", async () => {
    expect(await steps({ op: "mkdir", path: "d" })).toEqual([]);
    expect(
      (await steps({ op: "mkdir", path: "n/m" })).map(({ change }) => [change.op, change.implied]),
    ).toEqual([
      ["mkdir", true],
      ["mkdir", false],
    ]);
  });

  it("of what is very large put it aside by a rename", async () => {
    truncateSync(at("f"), (1 << 23) + 1);
    const [step] = await steps({ op: "delete", path: "f" });
    expect(step?.change).toMatchObject({
      op: "delete",
      step: { kind: "rename", into: "store", path: at("f"), node: { type: "file", size: (1 << 23) + 1 } },
      sizeBefore: (1 << 23) + 1,
      sizeAfter: null,
      blobs: [{ hash: expect.stringMatching(/^kept:/u) as unknown, size: (1 << 23) + 1 }],
    });
    plan = createPlan({ ...plan.deps, token: "T", maxBytes: 1e9, stop: {} });
    truncateSync(at("f"), 1 << 23);
    expect((await steps({ op: "delete", path: "f" }))[0]?.change.step.kind).toBe("set");
  });
});

describe("a mutation is refused", () => {
  const refusal = async (...mutations: FileMutation[]): Promise<string> => {
    const before = plan.steps().length;
    const told = await steps(...mutations).then(
      () => "taken",
      (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
    );
    if (mutations.length === 1)
      expect(plan.steps()).toHaveLength(told === "taken" ? plan.steps().length : before);
    return told;
  };

  it.each<[string, FileMutation, RegExp]>([
    ["a new file that is there", write("f", "", { options: { create: true } }), /exist/iu],
    ["a write to a folder", write("d", ""), /directory/u],
    ["a write below a file", write("f/x", ""), /not a directory|ENOTDIR/iu],
    ["a file that is too large", write("g", "x".repeat(1001)), /1000|too large|limit/iu],
    [
      "an append that makes it too large",
      { op: "append", path: "f", data: new Uint8Array(995) },
      /1000|too large|limit/iu,
    ],
    ["a removal of nothing", { op: "delete", path: "none" }, /not found/iu],
    [
      "a removal of a folder that is not meant to be",
      { op: "delete", path: "d" },
      /is a directory; only a recursive/u,
    ],
    ["a copy of nothing", { op: "copy", from: "none", to: "g" }, /not found/iu],
    ["a copy of a folder", { op: "copy", from: "d", to: "g" }, /directory/iu],
    ["a copy over a file", { op: "copy", from: "d/inner", to: "f" }, /exist/iu],
    ["a move of nothing", { op: "move", from: "none", to: "g" }, /not found/iu],
    ["a move over a file", { op: "move", from: "d/inner", to: "f" }, /exist/iu],
    [
      "a move over a folder",
      { op: "move", from: "f", to: "d", overwrite: true },
      /which a move never replaces/u,
    ],
    [
      "a move of a folder over a file",
      { op: "move", from: "d", to: "f", overwrite: true },
      /would be replaced by a directory/u,
    ],
    ["a move of a folder into itself", { op: "move", from: "d", to: "d/e" }, /./u],
    ["a folder where a file is", { op: "mkdir", path: "f" }, /exist/iu],
    ["a folder below a file", { op: "mkdir", path: "f/x/y" }, /not a directory|ENOTDIR/iu],
    [
      "a write of what is not there any more",
      write("g", "", { options: { ifIdentity: "1:2" } }),
      /deleted by someone else/u,
    ],
    [
      "a write of what is another by now",
      write("f", "", { options: { ifIdentity: "1:2" } }),
      /has been changed by someone else/u,
    ],
    [
      "a write of what holds something else",
      write("f", "", { options: { ifContent: bytes("other!") } }),
      /has been changed by someone else/u,
    ],
    [
      "a removal of what holds something else",
      { op: "delete", path: "f", ifContent: bytes("other!") },
      /has been changed by someone else/u,
    ],
    [
      "a copy of what is another by now",
      { op: "copy", from: "f", to: "g", ifIdentity: "1:2" },
      /has been changed/u,
    ],
    [
      "a move of what is another by now",
      { op: "move", from: "f", to: "g", ifIdentity: "1:2" },
      /has been changed/u,
    ],
    [
      "an append to what is another by now",
      { op: "append", path: "f", data: bytes("x"), ifIdentity: "1:2" },
      /has been changed/u,
    ],
  ])("%s", async (_what, mutation, message) => {
    expect(await refusal(mutation)).toMatch(message);
  });

  it("for a FIFO, wherever it comes", async () => {
    execFileSync("mkfifo", [at("p")]);
    for (const mutation of [
      write("p", "x"),
      { op: "append", path: "p", data: bytes("x") },
      { op: "copy", from: "p", to: "g" },
      { op: "copy", from: "f", to: "p", overwrite: true },
      { op: "move", from: "p", to: "g" },
      { op: "move", from: "f", to: "p", overwrite: true },
    ] satisfies FileMutation[])
      expect([mutation.op, await refusal(mutation)]).toEqual([
        mutation.op,
        expect.stringMatching(/^PATH_INVALID/u),
      ]);
  });

  it("not where everything is as the caller saw it", async () => {
    const ifIdentity = identityOf(lstatSync(at("f"), { bigint: true }));
    const all = { options: { ifIdentity, ifContent: bytes("before") } };
    expect(await refusal(write("f", "x".repeat(1000), all))).toBe("taken");
    chmodSync(at("d/inner"), 0o644);
    expect(await refusal({ op: "copy", from: "d/inner", to: "f", overwrite: true })).toBe("taken");
    expect(await refusal({ op: "delete", path: "d/inner", ifContent: bytes("inner") })).toBe("taken");
  });
});
