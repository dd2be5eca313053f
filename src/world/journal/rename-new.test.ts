import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openBelow } from "../testing/open-below.js";
import { letGo, linkOrElse, linkOrRename, replaceAndHold, type HeldFiles } from "./rename-new.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
const at = (name: string): string => join(base, name);
beforeEach(() => {
  base = tempDir("rename");
  writeFileSync(at("from"), "new");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it("gives a file another name by a link, of which is told before the first name goes", () => {
  const { ino } = statSync(at("from"));
  const onLinked = vi.fn<() => void>(() => expect(existsSync(at("from")) && existsSync(at("to"))).toBe(true));
  linkOrRename(at("from"), at("to"), onLinked);
  expect(onLinked).toHaveBeenCalledOnce();
  expect([existsSync(at("from")), statSync(at("to")).ino]).toEqual([false, ino]);
});

it("replaces nothing", () => {
  writeFileSync(at("to"), "theirs");
  const otherwise = vi.fn<() => void>();
  expect(() => linkOrElse(at("from"), at("to"), otherwise)).toThrow(
    expect.objectContaining({ code: "EEXIST" }),
  );
  expect(otherwise).not.toHaveBeenCalled();
  expect([readFileSync(at("to"), "utf8"), readFileSync(at("from"), "utf8")]).toEqual(["theirs", "new"]);
});

it("goes another way where there can be no link, such as to a folder", () => {
  mkdirSync(at("folder"));
  const onLinked = vi.fn<() => void>();
  linkOrRename(at("folder"), at("to"), onLinked);
  expect([existsSync(at("folder")), existsSync(at("to"))]).toEqual([false, true]);
  expect(onLinked).not.toHaveBeenCalled();
  const otherwise = vi.fn<() => void>();
  expect(linkOrElse(at("to"), at("third"), otherwise)).toBe(false);
  expect(otherwise).toHaveBeenCalledExactlyOnceWith(at("to"), at("third"));
  expect(linkOrElse(at("from"), at("third"), otherwise)).toBe(true);
});

it.runIf(process.platform === "linux")(
  "replaces large files, which are given up when that is asked for, or when there are many",
  async () => {
    const held: HeldFiles = [];
    for (let n = 0; n < 40; n++) {
      writeFileSync(at("to"), "old");
      writeFileSync(at("from"), `new ${n}`);
      replaceAndHold(at("from"), at("to"), held);
      expect([existsSync(at("from")), readFileSync(at("to"), "utf8")]).toEqual([false, `new ${n}`]);
    }
    await expect.poll(() => openBelow(base).length).toBe(32);
    expect(() => replaceAndHold(at("none"), at("to"), held)).toThrow(/ENOENT/);
    letGo(held);
    await expect.poll(() => openBelow(base)).toEqual([]);
    expect(readFileSync(at("to"), "utf8")).toBe("new 39");
  },
);
