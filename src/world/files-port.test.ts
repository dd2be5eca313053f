import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFiles } from "./files-port.js";
import { openWorld, origin, type World } from "./journal/testing/open-world.js";

let base: string;
let world: World;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "tenon-files-"));
  world = await openWorld(base);
});

afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

function files(narrow?: readonly string[]) {
  return createFiles({ guard: world.guard, journal: world.journal, origin: origin("call"), narrow });
}

describe("the files of a call", () => {
  it("journals every change under the call, so that it can be undone", async () => {
    const port = files();
    const written = await port.write("a/b", Buffer.from("one"));
    expect(written).toMatchObject({ type: "file", size: 3 });
    expect(await port.append("a/b", Buffer.from("two"))).toMatchObject({ size: 6 });
    await port.copy("a/b", "c");
    await port.move("c", "d");
    expect(await port.mkdir("e")).toEqual({ created: true });
    expect(await port.mkdir("e")).toEqual({ created: false });
    await port.delete("a", { recursive: true });
    await port.apply([
      { op: "write", path: "f", data: Buffer.from("f") },
      { op: "delete", path: "e", recursive: true },
    ]);
    expect(Buffer.from(await port.read("d")).toString()).toBe("onetwo");
    expect(await world.journal.undo({ callId: "call" }, origin("undo"))).toHaveLength(8);
    const names: string[] = [];
    for await (const entry of port.list(".")) names.push(entry.name);
    expect(names).toEqual([]);
  });

  it("reads, looks, opens and checks through the guard", async () => {
    writeFileSync(join(world.root, "x"), "0123456789");
    const port = files();
    expect(port.root).toBe(world.root);
    expect(port.check("../out").allowed).toBe(false);
    expect(await port.stat("missing")).toBeNull();
    expect(Buffer.from(await port.read("x", { offset: 2, length: 3 })).toString()).toBe("234");
    const open = await port.open("x");
    const buffer = new Uint8Array(4);
    expect(open.readInto(buffer, 6)).toBe(4);
    open.close();
    expect(Buffer.from(buffer).toString()).toBe("6789");
  });

  it("refuses what lies outside the paths a call is narrowed to, and touches nothing", async () => {
    mkdirSync(join(world.root, "mine"));
    writeFileSync(join(world.root, "theirs"), "theirs");
    const port = files(["mine"]);
    await port.write("mine/a", Buffer.from("a"));
    await expect(port.write("theirs", Buffer.from("x"))).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
    await expect(port.move("mine/a", "out")).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
    await expect(
      port.apply([
        { op: "write", path: "mine/b", data: Buffer.from("b") },
        { op: "copy", from: "theirs", to: "mine/c" },
      ]),
    ).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
    expect(readFileSync(join(world.root, "theirs"), "utf8")).toBe("theirs");
    expect(existsSync(join(world.root, "mine/b"))).toBe(false);
  });

  it("takes no change back that was refused before it began", async () => {
    const stop = new AbortController();
    stop.abort();
    const { guard, journal } = world;
    const port = createFiles({ guard, journal, origin: origin(), signal: () => stop.signal });
    await expect(port.write("a", Buffer.from("a"))).rejects.toMatchObject({ code: "CANCELLED" });
    expect(existsSync(join(world.root, "a"))).toBe(false);
  });
});
