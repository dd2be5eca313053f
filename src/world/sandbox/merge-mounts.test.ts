import { describe, expect, it } from "vitest";
import { maxMounts, mergeMounts } from "./merge-mounts.js";
import type { Mount } from "./mount-plan.js";

const options = { rootOf: () => "/ws", countPins: () => 0 };
const mask = (path: string): Mount => ({ path, kind: "mask", isDirectory: false });

/** Every path must still lie at or below one of the mounts. */
function uncovered(paths: readonly Mount[], kept: readonly Mount[]): string[] {
  const places = new Set(kept.map(({ path }) => path));
  return paths
    .map(({ path }) => path)
    .filter((path) => {
      for (let at = path; at.length > "/ws".length; at = at.slice(0, at.lastIndexOf("/")))
        if (places.has(at)) return false;
      return true;
    });
}

describe("merging mounts", () => {
  it("leaves few alone", () => {
    const mounts = [mask("/ws/a/b"), mask("/ws/c")];
    expect(mergeMounts(mounts, options)).toEqual({ kept: mounts, notes: [] });
  });

  it.each([
    ["one folder", (index: number) => `/ws/data/${index}.pem`],
    ["many folders", (index: number) => `/ws/data/${index % 8000}/${index}.pem`],
    ["a folder each", (index: number) => `/ws/${index % 300}/${index}/key.pem`],
    ["deep folders", (index: number) => `/ws/x/${"d/".repeat(index % 40)}${index}.d/k`],
  ])("covers 40,000 paths in %s, and says which folders it took", (_, pathOf) => {
    const mounts = Array.from({ length: 40_000 }, (__, index) => mask(pathOf(index)));
    const { kept, notes } = mergeMounts(mounts, options);
    expect(kept.length).toBeLessThanOrEqual(maxMounts);
    expect(uncovered(mounts, kept)).toEqual([]);
    expect(notes.length).toBe(kept.filter(({ isDirectory }) => isDirectory).length);
  });

  it("makes a folder read-only where nothing in it is hidden", () => {
    const mounts = Array.from({ length: 1000 }, (_, index): Mount => ({
      ...mask(`/ws/a/${index}`),
      kind: "fix",
    }));
    expect(mergeMounts(mounts, options).kept).toEqual([{ path: "/ws/a", kind: "fix", isDirectory: true }]);
  });

  it("refuses rather than leave one out at the top", () => {
    const mounts = Array.from({ length: 1000 }, (_, index) => mask(`/ws/${index}.pem`));
    expect(() => mergeMounts(mounts, options)).toThrow("too many");
  });
});
