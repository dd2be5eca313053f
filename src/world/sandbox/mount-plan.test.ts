import { describe, expect, it } from "vitest";
import { planMounts, type MountPlan, type PlanOptions } from "./mount-plan.js";
import type { Guarded, GuardedPath } from "./walk-guarded.js";
import { toSystemPath } from "../files/raw-path.js";

const nothing: Guarded = {
  hidden: [],
  consent: [],
  fixed: [],
  gitDirs: [],
  gitFiles: [],
  objectStores: [],
  opened: [],
  sensitive: [],
  unsearched: [],
};

const file = (path: string): GuardedPath => ({ path, kind: "file" });
const folder = (path: string): GuardedPath => ({ path, kind: "directory" });

function plan(guarded: Partial<Guarded>, more: Partial<PlanOptions> = {}): MountPlan {
  return planMounts({
    guarded: { ...nothing, ...guarded },
    git: [],
    roots: [
      { path: "/ws", writable: true },
      { path: "/docs", writable: false },
      { path: "/ws/vendor", writable: false },
    ],
    isStable: () => true,
    ...more,
  });
}

/** "kind path", with a slash after a folder and an asterisk where something inside is visible. */
function shown({ mounts }: MountPlan): string[] {
  return mounts.map(
    ({ kind, path, isDirectory, isOpenedInside }) =>
      `${kind} ${path}${isDirectory ? "/" : ""}${isOpenedInside === true ? "*" : ""}`,
  );
}

describe("the plan of mounts", () => {
  it("is empty where no rule applies", () => {
    expect(plan({})).toEqual({ mounts: [], notes: [] });
  });

  it("hides what may not be read, needs consent or could not be searched, in any root", () => {
    const guarded = {
      hidden: [file("/ws/a"), file("/docs/b")],
      consent: [folder("/ws/c")],
      unsearched: [folder("/docs/d")],
    };
    expect(shown(plan(guarded))).toEqual(["mask /docs/b", "mask /docs/d/", "mask /ws/a", "mask /ws/c/"]);
  });

  it("fixes what may not be written, but needs no mount where nothing can be written anyway", () => {
    const fixed = [file("/ws/a"), file("/docs/b"), file("/ws/vendor/c"), file("/elsewhere/d")];
    expect(shown(plan({ fixed }))).toEqual(["fix /ws/a"]);
  });

  it("pins every folder between a mount and its root, once, so that none can be renamed", () => {
    const guarded = { hidden: [file("/ws/a/b/c/key"), file("/ws/a/b/key"), file("/docs/x/y/key")] };
    expect(shown(plan(guarded))).toEqual([
      "mask /docs/x/y/key",
      "pin /ws/a/",
      "pin /ws/a/b/",
      "pin /ws/a/b/c/",
      "mask /ws/a/b/c/key",
      "mask /ws/a/b/key",
    ]);
  });

  it("pins nothing in what is read-only, nor above it a second time", () => {
    const guarded = { fixed: [folder("/ws/a/fixed")], hidden: [file("/ws/a/fixed/x/key")] };
    expect(shown(plan(guarded))).toEqual(["pin /ws/a/", "fix /ws/a/fixed/", "mask /ws/a/fixed/x/key"]);
  });

  it("leaves out what lies in a hidden folder, unless something visible lies between", () => {
    const hidden = [folder("/ws/a"), file("/ws/a/b/key")];
    expect(shown(plan({ hidden }))).toEqual(["mask /ws/a/"]);
    const opened = [{ ...folder("/ws/a/b"), writable: true }];
    expect(shown(plan({ hidden, opened }))).toEqual(["mask /ws/a/*", "bind /ws/a/b/", "mask /ws/a/b/key"]);
  });

  it("opens an exception for writing only where its root is writable and the rule says so", () => {
    const opened = [
      { ...folder("/ws/a"), writable: true },
      { ...folder("/ws/b"), writable: false },
      { ...folder("/ws/vendor/c"), writable: true },
      { ...folder("/docs/d"), writable: true },
    ];
    expect(shown(plan({ opened }))).toEqual([
      "fix /docs/d/",
      "bind /ws/a/",
      "fix /ws/b/",
      "fix /ws/vendor/c/",
    ]);
  });

  it("takes the stronger of two rules for a path, in whatever order they come", () => {
    const opened = [{ ...file("/ws/x"), writable: true }];
    expect(shown(plan({ opened, fixed: [file("/ws/x")] }))).toEqual(["fix /ws/x"]);
    expect(shown(plan({ opened, hidden: [file("/ws/x")] }))).toEqual(["mask /ws/x"]);
    expect(shown(plan({ fixed: [file("/ws/x")], consent: [file("/ws/x")] }))).toEqual(["mask /ws/x"]);
    const git = [{ path: "/ws/x", kind: "bind", isDirectory: true }] as const;
    expect(shown(plan({ fixed: [folder("/ws/x")] }, { git }))).toEqual(["fix /ws/x/"]);
    expect(shown(plan({}, { git }))).toEqual(["bind /ws/x/"]);
  });

  it("leaves what a running job could replace unmounted, and says so, but hides it still", () => {
    const isStable = (path: string): boolean => !path.startsWith("/ws/job");
    const { mounts, notes } = plan({ fixed: [file("/ws/job/a"), file("/ws/b")] }, { isStable });
    expect(mounts.map(({ path }) => path)).toEqual(["/ws/b"]);
    expect(notes).toEqual([expect.stringMatching(/background job .* until it ends: \/ws\/job\/a$/)]);
    const hidden = plan({ hidden: [file("/ws/job/x/key")] }, { isStable });
    expect(shown(hidden)).toEqual(["mask /ws/job/x/key"]);
    expect(hidden.notes).toEqual([]);
    expect(plan({ fixed: [file("/docs/job")] }, { isStable: () => false }).notes).toEqual([]);
  });

  it("names five of the paths that stay writable", () => {
    const fixed = Array.from({ length: 7 }, (_, n) => file(`/ws/${n}`));
    const { notes } = plan({ fixed }, { isStable: () => false });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/: \/ws\/0, \/ws\/1, \/ws\/2, \/ws\/3, \/ws\/4$/);
  });

  it("keeps names apart that are not valid UTF-8 and look the same as text", () => {
    const hidden = ["/ws/\xff/sub/key", "/ws/\xfe/sub/key"].map((path): GuardedPath => {
      const bytes = Buffer.from(path, "latin1");
      return { path: bytes.toString(), bytes, kind: "file" };
    });
    const { mounts } = plan({ hidden });
    expect(
      mounts.map(({ kind, path }) => [kind, Buffer.from(toSystemPath(path)).toString("latin1")]),
    ).toEqual([
      ["pin", "/ws/\xfe"],
      ["pin", "/ws/\xfe/sub"],
      ["mask", "/ws/\xfe/sub/key"],
      ["pin", "/ws/\xff"],
      ["pin", "/ws/\xff/sub"],
      ["mask", "/ws/\xff/sub/key"],
    ]);
  });

  it("takes a name that looks like bytes in a text for the name that it is", () => {
    const hidden = [file("/ws/\uffffff/key")];
    const { mounts } = plan({ hidden });
    expect(mounts.map(({ path }) => String(toSystemPath(path)))).toEqual([
      "/ws/\uffffff",
      "/ws/\uffffff/key",
    ]);
  });

  it("shows such a path to a person as text", () => {
    const bytes = Buffer.from("/ws/\xff", "latin1");
    const { notes } = plan(
      { fixed: [{ path: bytes.toString(), bytes, kind: "file" }] },
      { isStable: () => false },
    );
    expect(notes).toEqual([expect.stringMatching(/: \/ws\/\ufffd$/)]);
  });
});
