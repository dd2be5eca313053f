import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, createTestFixture, type TestFixture } from "../../../test/attack/fixture.js";
import type { FileChange } from "../../contract/ports/files.js";
import type { Guard } from "./guard-types.js";

describe("watching", () => {
  let fixture: TestFixture;
  let guard: Guard;
  let controller: AbortController;
  beforeEach(() => {
    fixture = createTestFixture();
    guard = fixture.guard({ forbiddenPaths: ["private"] });
    controller = new AbortController();
  });
  afterEach(async () => {
    controller.abort();
    await fixture.dispose();
  });

  /** Reads changes until one has the path. */
  async function until(changes: AsyncIterator<FileChange>, wanted: string): Promise<string[]> {
    const seen: string[] = [];
    for (;;) {
      const { value, done } = await changes.next();
      if (done === true) return seen;
      seen.push(value.path);
      if (seen.at(-1) === wanted) return seen;
    }
  }
  const start = (name: string): AsyncIterator<FileChange> =>
    guard.watch(name, controller.signal)[Symbol.asyncIterator]();

  it("reports changes of a file by its own path", async () => {
    const file = fixture.put("d/a.txt", "x");
    const changes = start("d/a.txt");
    writeFileSync(file, "y");
    expect(await changes.next()).toEqual({ done: false, value: { path: "d/a.txt", kind: "changed" } });
  });

  it("reports what happens in a directory, in new ones below it too", async () => {
    const changes = start(".");
    fixture.put("a", "x");
    expect(await until(changes, "a")).toContain("a");
    mkdirSync(path.join(fixture.ws, "new"));
    await until(changes, "new");
    renameSync(path.join(fixture.ws, "a"), path.join(fixture.ws, "new/b"));
    expect(await until(changes, "new/b")).toContain("new/b");
    rmSync(path.join(fixture.ws, "new"), { recursive: true });
    expect(await until(changes, "new")).toContain("new");
  });

  it("reports changes deep in a tree that was there before", async () => {
    fixture.put("one/two/three/file", "x");
    const changes = start("one");
    // The tree is read in the background: change until the watch is there.
    const timer = setInterval(() => fixture.put("one/two/three/file", String(Math.random())), 5);
    const seen = await until(changes, "one/two/three/file");
    clearInterval(timer);
    expect(seen).toContain("one/two/three/file");
  });

  it("does not mistake a change of the directory itself for one of a file in it", async () => {
    fixture.put("d/a", "x");
    const changes = start("d");
    chmodSync(path.join(fixture.ws, "d"), 0o700);
    expect(await changes.next()).toMatchObject({ value: { path: "d" } });
  });

  it("tells nothing of what may not be read, nor of what links lead to", async () => {
    fixture.put("private/key", "x");
    fixture.link("out", fixture.outside);
    const changes = start(".");
    fixture.put("private/key", "y");
    fixture.put("visible", "x");
    expect((await until(changes, "visible")).filter((name) => name !== "visible")).toEqual([]);
  });

  it("ends when the signal fires, and when nobody reads on", async () => {
    const changes = start(".");
    const waiting = changes.next();
    controller.abort();
    expect(await waiting).toMatchObject({ done: true });
    expect(await start(".").next()).toMatchObject({ done: true });
    const seen: string[] = [];
    const left = guard.watch(".", new AbortController().signal);
    fixture.put("a", "x");
    for await (const change of left) {
      seen.push(change.path);
      break;
    }
    expect(seen).toEqual(["a"]);
  });

  it("refuses what may not be watched", async () => {
    fixture.link("out", fixture.outside);
    for (const [name, code] of [
      ["out", "PATH_SYMLINK"],
      ["../outside", "PATH_TRAVERSAL"],
      ["private", "PATH_FORBIDDEN"],
      ["none", "RESOURCE_NOT_FOUND"],
    ] as const) {
      expect(await codeOf(() => start(name))).toBe(code);
    }
  });
});
