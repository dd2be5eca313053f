import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBelow } from "../testing/open-below.js";
import { chooseOpener, type Opener } from "./opener.js";
import { portableOpener } from "./portable-opener.js";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-opener-")));
  mkdirSync(join(base, "folder"));
  writeFileSync(join(base, "folder/file"), "text");
  symlinkSync("folder", join(base, "link"));
});
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

const openers: [string, Opener][] = [
  ["of this system", chooseOpener()],
  ["without descriptors", portableOpener("linux")],
  ["of Windows", portableOpener("win32")],
];

it("is chosen by what the system has", () => {
  expect(chooseOpener("linux").kind).toBe("descriptor");
  expect(chooseOpener("darwin").kind).toBe("portable");
  expect(chooseOpener("win32").kind).toBe("portable");
});

describe.each(openers)("the opener %s", (_name, opener) => {
  it("knows where a file is, also through a link to its folder, and reads and writes it", () => {
    const handle = opener.open(join(base, "link/file"));
    expect(handle.real).toBe(join(base, "folder/file"));
    expect(handle.stat.size).toBe(4n);
    expect(handle.stat.ino).toBe(lstatSync(join(base, "folder/file"), { bigint: true }).ino);
    for (const [flags, text] of [
      [constants.O_RDONLY, "text"],
      [constants.O_WRONLY, "more"],
    ] as const) {
      const fd = handle.reopen(flags);
      if (flags === constants.O_WRONLY) writeFileSync(fd, text);
      else expect(readFileSync(fd, "utf8")).toBe(text);
      expect(fstatSync(fd, { bigint: true }).ino).toBe(handle.stat.ino);
      closeSync(fd);
    }
    expect(readFileSync(join(base, "folder/file"), "utf8")).toBe("more");
    expect(handle.isInPlace()).toBe(true);
    handle.close();
  });

  it("opens a link itself, and the names in a folder", () => {
    const link = opener.open(join(base, "link"));
    expect([link.real, link.stat.isSymbolicLink(), link.isInPlace()]).toEqual([
      join(base, "link"),
      true,
      true,
    ]);
    link.close();
    const folder = opener.open(join(base, "folder"));
    expect(readFileSync(folder.at("file"), "utf8")).toBe("text");
    expect(readFileSync(folder.at(Buffer.from("file")), "utf8")).toBe("text");
    for (const name of ["file", Buffer.from("file")]) {
      const child = opener.openChild(folder, name, join(base, "folder/file"));
      expect(child.real).toBe(join(base, "folder/file"));
      expect(readFileSync(child.self, "utf8")).toBe("text");
      child.close();
    }
    expect(() => opener.openChild(folder, "missing", join(base, "folder/missing"))).toThrow("ENOENT");
    folder.close();
    expect(() => opener.open(join(base, "missing"))).toThrow("ENOENT");
  });

  it("notices what was moved, replaced or deleted", () => {
    const handle = opener.open(join(base, "folder/file"));
    const folder = opener.open(join(base, "folder"));
    renameSync(join(base, "folder/file"), join(base, "folder/other"));
    expect(handle.isInPlace()).toBe(false);
    writeFileSync(join(base, "folder/file"), "other");
    expect(handle.isInPlace()).toBe(false);
    rmSync(join(base, "folder"), { recursive: true });
    expect([handle, folder].map((each) => each.isInPlace())).toEqual([false, false]);
    handle.close();
    folder.close();
  });

  it("tells when it was changed last, now and when it was opened", () => {
    const handle = opener.open(join(base, "folder/file"));
    expect(handle.changedNs()).toBe(handle.stat.ctimeNs);
    linkSync(join(base, "folder/file"), join(base, "folder/again"));
    const now = lstatSync(join(base, "folder/file"), { bigint: true }).ctimeNs;
    expect(handle.changedNs()).toBe(now);
    handle.close();
  });
});

describe("the opener without descriptors", () => {
  const opener = portableOpener("linux");

  it("refuses to open what was replaced, and leaves nothing open", () => {
    const handle = opener.open(join(base, "folder/file"));
    renameSync(join(base, "folder/file"), join(base, "folder/other"));
    expect(() => handle.reopen(constants.O_RDONLY)).toThrow("ENOENT");
    writeFileSync(join(base, "folder/file"), "other");
    expect(() => handle.reopen(constants.O_RDONLY)).toThrow(
      expect.objectContaining({ code: "ESTALE", message: "changed while it was opened" }),
    );
    rmSync(join(base, "folder/file"));
    symlinkSync("other", join(base, "folder/file"));
    expect(() => handle.reopen(constants.O_RDONLY)).toThrow("ELOOP");
  });

  it("refuses a file whose folder is now reached by a link", () => {
    const handle = opener.open(join(base, "folder/file"));
    renameSync(join(base, "folder"), join(base, "moved"));
    symlinkSync("moved", join(base, "folder"));
    expect(handle.isInPlace()).toBe(false);
    expect(() => handle.reopen(constants.O_RDONLY)).toThrow(expect.objectContaining({ code: "ESTALE" }));
  });
});
