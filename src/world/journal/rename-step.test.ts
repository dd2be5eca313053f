import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RenameStep } from "../../contract/ports/journal.js";
import { chooseOpener } from "../files/opener.js";
import { asOrdinaryUser, nobody } from "../testing/as-ordinary-user.js";
import { openBelow } from "../testing/open-below.js";
import { inodeOf, stampOf } from "./open-path.js";
import {
  applyMode,
  applyRename,
  applyReplacement,
  endsOf,
  rollBackMode,
  rollBackRename,
} from "./rename-step.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
const opener = chooseOpener();
beforeEach(() => {
  base = tempDir("rename-step");
  for (const name of ["ws", "store", "layer"]) mkdirSync(at(name));
});
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, path);
const stat = (path: string) => lstatSync(at(path), { bigint: true });
const text = (path: string): string => readFileSync(at(path), "utf8");
const modeOf = (path: string): number => statSync(at(path)).mode & 0o7777;
function stepOf(own: string, stored: string, more: Partial<RenameStep> = {}): RenameStep {
  const into = more.into ?? "workspace";
  const from = into === "workspace" ? stored : own;
  const there = lstatSync(at(from), { bigint: true, throwIfNoEntry: false });
  const type = there?.isDirectory() === true ? "directory" : "file";
  return {
    kind: "rename",
    path: at(own),
    stored: at(stored),
    into,
    inode: there === undefined ? "1:1" : inodeOf(there),
    node: { type, size: 0 },
    ...more,
  };
}
const apply = (step: RenameStep, onLinked = (): void => {}) => applyRename(opener, step, onLinked);
const rollBack = (step: RenameStep) => rollBackRename(opener, step);

describe("a rename", () => {
  it("goes into the store, or from it", () => {
    const ends = { path: "own", stored: "stored" };
    expect(endsOf({ ...ends, into: "workspace" })).toEqual({ from: "stored", to: "own" });
    expect(endsOf({ ...ends, into: "store" })).toEqual({ from: "own", to: "stored" });
  });

  it("of a file into the workspace replaces nothing, and is told of between link and removal", async () => {
    writeFileSync(at("layer/f"), "new");
    const onLinked = vi.fn<() => void>();
    await apply(stepOf("ws/f", "layer/f"), onLinked);
    expect([text("ws/f"), existsSync(at("layer/f"))]).toEqual(["new", false]);
    expect(onLinked).toHaveBeenCalledOnce();
    writeFileSync(at("layer/f"), "newer");
    await expect(apply(stepOf("ws/f", "layer/f"))).rejects.toMatchObject({ code: "EEXIST" });
    expect([text("ws/f"), text("layer/f")]).toEqual(["new", "newer"]);
    await apply(stepOf("ws/f", "store/slot", { into: "store" }), onLinked);
    expect([existsSync(at("ws/f")), text("store/slot")]).toEqual([false, "new"]);
    expect(onLinked).toHaveBeenCalledOnce();
  });

  it("works where the owner may not write to the folder of the layer, or to the folder itself, whose modes stay", async () => {
    mkdirSync(at("layer/closed"));
    writeFileSync(at("layer/closed/f"), "x");
    mkdirSync(at("layer/own"));
    writeFileSync(at("layer/own/inner"), "x");
    chmodSync(at("layer/closed"), 0o555);
    chmodSync(at("layer/own"), 0o500);
    execFileSync("chown", ["-R", String(nobody), base]);
    // Tests run as root change only whose permissions count.
    const getuid = vi.spyOn(process as { getuid(): number }, "getuid").mockReturnValue(nobody);
    await asOrdinaryUser(async () => {
      await apply(stepOf("ws/f", "layer/closed/f"));
      expect([text("ws/f"), modeOf("layer/closed")]).toEqual(["x", 0o555]);
      const node = { type: "directory", size: 0, mode: 0o500 } as const;
      const step = stepOf("ws/own", "layer/own", { node });
      await apply(step);
      expect([modeOf("ws/own"), existsSync(at("layer/own"))]).toEqual([0o500, false]);
      expect(await rollBack(step)).toBeUndefined();
      expect([modeOf("layer/own"), existsSync(at("ws/own"))]).toEqual([0o500, false]);
      await expect(apply({ ...step, inode: "1:1" })).rejects.toMatchObject({ code: "ESTALE" });
      // The process was killed while it was open.
      chmodSync(at("layer/own"), 0o700);
      expect(await rollBack(step)).toBeUndefined();
      expect(modeOf("layer/own")).toBe(0o500);
      chmodSync(at("layer/own"), 0o750);
      expect(await rollBack(step)).toBeUndefined();
      expect(modeOf("layer/own")).toBe(0o750);
    }).finally(() => getuid.mockRestore());
  });
});

describe("taking a rename back", () => {
  it("brings it to where it was, and does nothing where it is there still", async () => {
    writeFileSync(at("layer/f"), "new");
    const step = stepOf("ws/f", "layer/f");
    expect(await rollBack(step)).toBeUndefined();
    expect(text("layer/f")).toBe("new");
    await apply(step);
    rmSync(at("layer"), { recursive: true });
    expect(await rollBack(step)).toBeUndefined();
    expect([text("layer/f"), existsSync(at("ws/f"))]).toEqual(["new", false]);
    // Between the link and the removal it has both names.
    linkSync(at("layer/f"), at("ws/f"));
    expect(await rollBack(step)).toBeUndefined();
    expect([text("layer/f"), existsSync(at("ws/f"))]).toEqual(["new", false]);
  });

  it("names what somebody else put there meanwhile", async () => {
    writeFileSync(at("layer/f"), "new");
    const step = stepOf("ws/f", "layer/f");
    await apply(step);
    writeFileSync(at("layer/f"), "theirs");
    expect(await rollBack(step)).toBe(`${at("layer/f")} was taken by something else`);
    expect([text("layer/f"), text("ws/f")]).toEqual(["theirs", "new"]);
    rmSync(at("layer/f"));
    expect(await rollBack({ ...step, inode: "1:1" })).toBe(`${at("ws/f")} was changed by someone else`);
    rmSync(at("ws/f"));
    expect(await rollBack(step)).toBe(`${at("ws/f")} was changed by someone else`);
  });
});

describe("a replacement", () => {
  it("keeps the one file under the name in the store, and puts the other in its place", () => {
    writeFileSync(at("ws/f"), "old");
    writeFileSync(at("layer/f"), "new");
    const replacement = {
      away: stepOf("ws/f", "store/slot", { into: "store" }),
      landing: stepOf("ws/f", "layer/f"),
      stamp: stampOf(stat("ws/f")),
      text: "f",
    };
    const onLinked = vi.fn<() => void>(() =>
      expect([text("ws/f"), text("store/slot")]).toEqual(["old", "old"]),
    );
    applyReplacement(opener, replacement, onLinked);
    expect(onLinked).toHaveBeenCalledOnce();
    expect([text("ws/f"), text("store/slot"), existsSync(at("layer/f"))]).toEqual(["new", "old", false]);
  });

  it("is refused where the file is another by now, and leaves everything as it is", () => {
    writeFileSync(at("ws/f"), "theirs");
    writeFileSync(at("layer/f"), "new");
    const replacement = {
      away: stepOf("ws/f", "store/slot", { into: "store" }),
      landing: stepOf("ws/f", "layer/f"),
      stamp: "other",
      text: "f",
    };
    expect(() => applyReplacement(opener, replacement, () => {})).toThrow(
      expect.objectContaining({
        code: "FILE_CONFLICT",
        message: expect.stringContaining("f") as unknown,
      }) as Error,
    );
    expect([text("ws/f"), text("layer/f"), existsSync(at("store/slot"))]).toEqual(["theirs", "new", false]);
  });
});

it("the mode of a folder is set, and restored unless somebody else has set another", () => {
  const step = { kind: "mode", path: at("ws"), before: 0o755, after: 0o710 } as const;
  applyMode(opener, step);
  expect(modeOf("ws")).toBe(0o710);
  rollBackMode(opener, step);
  expect(modeOf("ws")).toBe(0o755);
  chmodSync(at("ws"), 0o700);
  rollBackMode(opener, step);
  expect(modeOf("ws")).toBe(0o700);
  expect(rollBackMode(opener, { ...step, path: at("none") })).toBeUndefined();
  writeFileSync(at("file"), "");
  expect(() => applyMode(opener, { ...step, path: at("file") })).toThrow(
    expect.objectContaining({ code: "ENOTDIR" }) as Error,
  );
});
