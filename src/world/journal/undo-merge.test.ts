import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import { openWorld, origin, type World } from "./testing/open-world.js";

let base: string;
let world: World;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "tenon-merge-"));
  world = await openWorld(base);
});

afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(world.root, path);
const text = (path = "f"): string => readFileSync(at(path), "utf8");
const numbered = Array.from({ length: 400 }, (_, n) => `line ${n} of the file\n`);

/** Replace one line of the file, as edit_file does. */
function edit(line: string, by: string): FileMutation {
  const before = readFileSync(at("f"));
  const start = before.indexOf(line);
  return {
    op: "splice",
    path: "f",
    before,
    splices: [{ start, end: start + Buffer.byteLength(line), data: Buffer.from(by) }],
  };
}

const apply = (callId: string, ...mutations: FileMutation[]): Promise<unknown> =>
  world.journal.apply(mutations, origin(callId));

describe("an undo of a file that others changed since", () => {
  beforeEach(async () => {
    writeFileSync(at("f"), numbered.join(""));
    await apply("first", edit("line 10 of", "LINE TEN of"));
  });

  it("keeps what they changed elsewhere, and can be undone itself", async () => {
    writeFileSync(at("f"), text().replace("line 300 of", "theirs of"));
    const undone = await world.journal.undo({ callId: "first" }, origin("back"));
    expect(undone).toMatchObject([{ path: "f", merged: true, restoredContentLen: text().length }]);
    expect(text()).toBe(numbered.join("").replace("line 300 of", "theirs of"));
    await world.journal.undo({ callId: "back" }, origin());
    expect(text()).toContain("LINE TEN of");
    expect(text()).toContain("theirs of");
  });

  it("takes an older change out from under later ones, traced back through their differences", async () => {
    for (let n = 100; n < 140; n += 2) await apply(`later-${n}`, edit(`line ${n} of`, `later ${n} of`));
    appendFileSync(at("f"), "from outside\n");
    const { files, diff } = await world.journal.previewUndo({ callId: "first" });
    expect(files).toMatchObject([{ path: "f", merged: true }]);
    expect(diff).toContain("-LINE TEN of");
    await world.journal.undo({ callId: "first" }, origin());
    expect(text()).toContain("line 10 of");
    expect(text()).toContain("later 138 of");
    expect(text()).toContain("from outside");
    expect(await world.state.integrity()).toMatchObject({ ok: true });
  });

  it("takes an older change out from under later ones, traced back from the file as it is", async () => {
    for (const n of [100, 200]) await apply(`later-${n}`, edit(`line ${n} of`, `later ${n} of`));
    // Not kept anywhere but in the file itself.
    world.state.blobs.remove(createHash("sha256").update(text()).digest("hex"));
    expect(await world.journal.undo({ callId: "first" }, origin())).toMatchObject([{ merged: true }]);
    expect(text()).toBe(
      numbered.join("").replace("line 100 of", "later 100 of").replace("line 200 of", "later 200 of"),
    );
  });

  it("is refused with a diff where they changed the same lines, unless a person forces it", async () => {
    const theirs = text().replace("LINE TEN of", "theirs of");
    writeFileSync(at("f"), theirs);
    await expect(world.journal.undo({ callId: "first" }, origin())).rejects.toMatchObject({
      code: "FILE_CONFLICT",
      hint: expect.stringContaining("--force"),
      details: { diff: expect.stringMatching(/-LINE TEN of[^]*\+theirs of/) },
    });
    expect(text()).toBe(theirs);
    const undone = await world.journal.undo({ callId: "first" }, origin("forced"), { force: true });
    expect(undone).toMatchObject([{ path: "f", forced: true }]);
    expect(text()).toBe(numbered.join(""));
    await world.journal.undo({ callId: "forced" }, origin());
    expect(text()).toBe(theirs);
  });

  it("forces a deleted file back, and a created one away", async () => {
    rmSync(at("f"));
    await world.journal.undo({ callId: "first" }, origin(), { force: true });
    expect(text()).toBe(numbered.join(""));
    await apply("made", { op: "write", path: "new", data: Buffer.from("one") });
    writeFileSync(at("new"), "two");
    await expect(world.journal.undo({ callId: "made" }, origin())).rejects.toMatchObject({
      code: "FILE_CONFLICT",
    });
    await world.journal.undo({ callId: "made" }, origin(), { force: true });
    expect(existsSync(at("new"))).toBe(false);
  });

  it("says that a call was undone already", async () => {
    await world.journal.undo({ path: "f" }, origin("other"));
    for (const what of [{ callId: "first" }, { path: "f" }]) {
      await expect(world.journal.undo(what, origin())).rejects.toThrow(/have already been undone/);
    }
    await expect(world.journal.undo({ callId: "never" }, origin())).rejects.toThrow(
      /Nothing to undo for the call/,
    );
  });
});

describe("before-images", () => {
  it("of many edits, appends and overwrites of one file take a fraction of it each", async () => {
    const large = Array.from({ length: 4000 }, (_, n) => `line ${n} of the file\n`).join("");
    writeFileSync(at("f"), large);
    for (let n = 0; n < 20; n += 1) {
      await apply(`edit-${n}`, edit(`line ${n} of`, `edited ${n} of`));
      await apply(`append-${n}`, { op: "append", path: "f", data: Buffer.from(`more ${n}\n`) });
      const before = readFileSync(at("f"));
      const data = Buffer.from(before.toString().replace(`line ${n + 2000} of`, `written ${n} of`));
      await apply(`write-${n}`, { op: "write", path: "f", data, options: { ifContent: before } });
    }
    const blobs = join(world.state.dir, "blobs");
    const kept = readdirSync(blobs).reduce((sum, name) => sum + statSync(join(blobs, name)).size, 0);
    // One whole version, compressed, and the differences; 60 whole ones would be 5 MB.
    expect(kept).toBeLessThan(100_000);
    for (let n = 19; n >= 0; n -= 1) {
      for (const what of ["write", "append", "edit"]) {
        await world.journal.undo({ callId: `${what}-${n}` }, origin());
      }
    }
    expect(text()).toBe(large);
  });

  it("keep whole lines, so that a purged secret is found in them", async () => {
    const secret = "token = swordfish-0123456789\n";
    writeFileSync(at("f"), numbered.slice(0, 200).join("") + secret + numbered.slice(200).join(""));
    await apply("partly", edit("fish-0123", "x"));
    const [entry] = await world.state.journal.select({ callId: "partly" });
    const [change] = entry?.changes ?? [];
    const before = change?.step.kind === "set" ? change.step.before : null;
    const middle = before?.type === "file" ? before.delta?.middle : undefined;
    expect(middle && "bytes" in middle && Buffer.from(middle.bytes, "base64").toString()).toBe(secret);
  });
});

describe("a tree with a FIFO", () => {
  it("is deleted, and comes back without it", async () => {
    mkdirSync(at("d/sub"), { recursive: true });
    writeFileSync(at("d/sub/file"), "content");
    execFileSync("mkfifo", [at("d/pipe"), at("d/sub/pipe")]);
    await apply("gone", { op: "delete", path: "d", recursive: true });
    expect(existsSync(at("d"))).toBe(false);
    await world.journal.undo({ callId: "gone" }, origin("back"));
    expect(text("d/sub/file")).toBe("content");
    expect(readdirSync(at("d"))).toEqual(["sub"]);
    await world.journal.undo({ callId: "back" }, origin());
    expect(existsSync(at("d"))).toBe(false);
  });
});
