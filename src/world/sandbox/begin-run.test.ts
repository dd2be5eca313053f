import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ActiveSandbox } from "./active-sandbox.js";
import { beginRun, existingCarefulPaths, finishRun, hiddenPathsNote, withoutJudged } from "./begin-run.js";
import type { JudgedRun, RunStart } from "./quarantine/judge-runs.js";
import type { SensitivePath } from "./quarantine/sensitive-paths.js";
import type { SandboxCommand } from "./sandbox-types.js";
import type { Guarded } from "./walk-guarded.js";

const none: Guarded = {
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
const at = (path: string, kind: "file" | "directory" = "file"): Guarded["fixed"][number] => ({ path, kind });
const sensitive = (path: string, more: Partial<SensitivePath> = {}): SensitivePath => ({
  path,
  kind: "file",
  what: "named",
  rule: ".vscode/**",
  ...more,
});

describe("read-only paths", () => {
  const sandbox = { careful: new Set([".vscode/**"]) } as unknown as ActiveSandbox;

  it("are those that nobody judges when the command ends", () => {
    const fixed = [at("/w/a"), at("/w/.gitmodules"), at("/w/.vscode/x"), at("/w/.vscode"), at("/w/.vscodes")];
    const rules = { ...none, fixed, sensitive: [sensitive("/w/.vscode")] };
    expect(withoutJudged(sandbox, rules).map(({ path }) => path)).toEqual(["/w/a", "/w/.vscodes"]);
  });

  it.each([{ rule: "other" }, { what: "git-folder" }] as const)("are also those of %o", (more) => {
    const rules = {
      ...none,
      fixed: [at("/w/b")],
      sensitive: [sensitive("/w/b", more)],
    };
    expect(withoutJudged(sandbox, rules)).toEqual([at("/w/b")]);
  });

  it("are the existing files and folders that need consent, for a job", () => {
    const rules = {
      ...none,
      fixed: [at("/w/known")],
      sensitive: [
        sensitive("/w/file"),
        sensitive("/w/folder", { kind: "directory" }),
        sensitive("/w/link", { kind: "link" }),
        sensitive("/w/known"),
        sensitive("/w/.git", { what: "git-folder" }),
      ],
    };
    expect(existingCarefulPaths(rules)).toEqual([at("/w/file"), at("/w/folder", "directory")]);
    expect(existingCarefulPaths(none)).toEqual([]);
  });
});

describe("a run", () => {
  let workspace: string;
  let started: RunStart[];
  let steps: string[];
  let failure: Error | undefined;
  beforeEach(() => {
    workspace = mkdtempSync(join(tmpdir(), "tenon-begin-run-"));
    [started, steps, failure] = [[], [], undefined];
  });
  afterEach(() => rmSync(workspace, { recursive: true, force: true }));

  const heldBack = [{ path: "a", reason: "why", rule: "name" }];
  const sandboxWith = (writable: readonly string[]): ActiveSandbox =>
    ({
      view: { workspace, writable },
      monotonic: () => 0,
      runs: {
        begin(start: RunStart): JudgedRun {
          started.push(start);
          return {
            held: () => heldBack,
            check: async (moment) => {
              steps.push(moment);
              if (failure !== undefined) throw failure;
            },
            end: () => void steps.push("end"),
          };
        },
      },
    }) as unknown as ActiveSandbox;
  const command = { readOnly: false } as unknown as SandboxCommand;
  const plan = {
    mounts: [
      { path: "/w/fixed", kind: "fix" },
      { path: "/w/mask", kind: "mask" },
      { path: "/w/open", kind: "open" },
    ],
  } as never;

  it("is not judged where it can change nothing", () => {
    const parts = { guarded: none, plan };
    expect(
      beginRun(sandboxWith([]), { ...command, readOnly: true }, { ...parts, onLayer: false }),
    ).toBeUndefined();
    expect(beginRun(sandboxWith([]), command, { ...parts, onLayer: true })).toBeUndefined();
    expect(started).toEqual([]);
  });

  it("is judged by what it can reach, and ends once it was judged", async () => {
    const guarded = { ...none, sensitive: [sensitive("/w/a")] };
    const run = beginRun(sandboxWith([]), command, { guarded, plan, onLayer: false });
    expect(started[0]).toMatchObject({ origin: { callId: "", sessionId: "", changes: [] } });
    expect(started[0]?.sensitive).toEqual(guarded.sensitive);
    expect(
      ["/w/fixed", "/w/fixed/in", "/w/mask", "/w/open", "/w/a"].map((path) => started[0]?.isMounted(path)),
    ).toEqual([true, true, true, false, false]);
    expect(run).toBeDefined();
    if (run === undefined) return;
    expect(await finishRun(run)).toEqual({ heldBack, warnings: [] });
    expect(steps).toEqual(["ended", "end"]);
  });

  it("on a layer is judged only outside the workspace, for the call that it names", async () => {
    const inside = sensitive(join(workspace, ".vscode"));
    const guarded = { ...none, sensitive: [inside, sensitive("/w/.vscode")] };
    const origin = { callId: "call_1", sessionId: "s", changes: ["/w/x"] };
    const run = beginRun(sandboxWith(["/w"]), { ...command, origin }, { guarded, plan, onLayer: true });
    expect(started[0]?.origin).toEqual(origin);
    expect(started[0]?.sensitive.map(({ path }) => path)).toEqual(["/w/.vscode"]);
    expect([inside.path, "/w/a"].map((path) => started[0]?.isMounted(path))).toEqual([true, false]);
    if (run !== undefined) await finishRun(run);
  });

  it("that cannot be judged warns, and its record stays", async () => {
    const run = beginRun(sandboxWith([]), command, { guarded: none, plan, onLayer: false });
    failure = new Error("no room");
    expect(run && (await finishRun(run))).toEqual({
      heldBack,
      warnings: ["The changes of the command could not be judged completely: no room."],
    });
    expect(steps).toEqual(["ended"]);
  });

  it("tells which paths it created that later commands do not see, at most twenty", async () => {
    mkdirSync(join(workspace, "sub"));
    writeFileSync(join(workspace, "sub/key"), "");
    const names = Array.from({ length: 21 }, (_, index) => `k${index}`);
    const note = (after: Partial<Guarded>, before: Partial<Guarded> = {}): Promise<string[]> =>
      hiddenPathsNote(
        {
          view: { workspace },
          index: { find: async () => ({ ...none, ...after }) },
        } as unknown as ActiveSandbox,
        command,
        { ...none, ...before },
      );
    const key = at(join(workspace, "sub/key"));
    const begin = "The command created paths that rules hide from later commands:";
    expect(await note({ hidden: [key] })).toEqual([`${begin} sub/key.`]);
    expect(await note({ consent: [at("/other/key")] })).toEqual([`${begin} /other/key.`]);
    expect(await note({ hidden: [key] }, { consent: [key] })).toEqual([]);
    expect(await note({})).toEqual([]);
    const many = names.map((name) => at(join(workspace, name)));
    expect(await note({ hidden: many })).toEqual([`${begin} ${names.slice(0, 20).join(", ")}.`]);
  });
});
