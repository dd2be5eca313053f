import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBelow } from "../testing/open-below.js";
import { chooseOpener } from "./opener.js";
import { walkTree } from "./walk-tree.js";

let base: string;
const opener = chooseOpener();
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-walk-")))));
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

function put(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(join(base, dirname(path)), { recursive: true });
    if (path.endsWith("/")) mkdirSync(join(base, path), { recursive: true });
    else writeFileSync(join(base, path), "");
  }
}

/** The steps of a walk as text; `onStep` may change things on the way. */
async function walk(onStep: (step: string) => void = () => {}, signal?: AbortSignal): Promise<string[]> {
  const steps: string[] = [];
  const top = opener.open(base);
  try {
    for await (const { kind, relative, real, directory, name } of walkTree(top, {
      opener,
      text: "t",
      signal,
    })) {
      const path = relative.toString("latin1");
      if (!path.includes("\xff")) expect(real).toBe(join(base, path));
      expect(name.toString("latin1")).toBe(path.slice(path.lastIndexOf("/") + 1));
      expect(directory.real).toBe(kind === "enter" ? join(base, path) : dirname(join(base, path)));
      // However deep, the top and the folder at hand are open, and what is to be entered next.
      if (steps.length % 50 === 0)
        expect(openBelow(dirname(base)).filter((each) => each.startsWith(base)).length).toBeLessThanOrEqual(
          3,
        );
      steps.push(`${kind} ${path}`);
      onStep(`${kind} ${path}`);
    }
  } finally {
    top.close();
  }
  return steps;
}

describe("a walk through a tree", () => {
  it("meets everything once, in the order of names, folders around what is in them", async () => {
    put("b", "a/y/z", "a/x", "c/", "a-b");
    symlinkSync("a", join(base, "link"));
    expect(await walk()).toEqual([
      "enter a",
      "leaf a/x",
      "enter a/y",
      "leaf a/y/z",
      "leave a/y",
      "leave a",
      "leaf a-b",
      "leaf b",
      "enter c",
      "leave c",
      "leaf link",
    ]);
  });

  it("meets nothing in an empty folder, and everything in one of very many or very deep", async () => {
    expect(await walk()).toEqual([]);
    const deep = Array.from({ length: 300 }, () => "d").join("/");
    put(`${deep}/f`, ...Array.from({ length: 600 }, (_, at) => `many/${at}`));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const steps = await walk();
    clearInterval(timer);
    expect(steps).toHaveLength(300 * 2 + 1 + 600 + 2);
    expect(steps).toContain(`leaf ${deep}/f`);
    expect(turns).toBeGreaterThan(0);
  });

  it("ends where it is told to", async () => {
    put("a/x", "b");
    const stop = new AbortController();
    const reason = new Error("enough");
    await expect(walk((step) => step === "leaf a/x" && stop.abort(reason), stop.signal)).rejects.toThrow(
      /./u,
    );
    await expect(walk(() => expect.unreachable(), AbortSignal.abort(reason))).rejects.toThrow(/./u);
  });

  it("passes by what is gone meanwhile, and takes what came in its place for what it is", async () => {
    put("a", "b/x", "c/x", "d");
    const steps = await walk((step) => {
      if (step !== "leaf a") return;
      rmSync(join(base, "b"), { recursive: true });
      rmSync(join(base, "c"), { recursive: true });
      symlinkSync("d", join(base, "c"));
    });
    expect(steps).toEqual(["leaf a", "leaf b", "leaf c", "leaf d"]);
  });

  it("ends where a folder is moved away on the way, and names what it walks through", async () => {
    put("a/b/c/x", "e/");
    const walking = walk((step) => {
      if (step === "enter a/b/c") renameSync(join(base, "a/b/c"), join(base, "e/c"));
    });
    await expect(walking).rejects.toMatchObject({
      message: expect.stringMatching(/t.*was moved by another process/) as string,
    });
  });
});
