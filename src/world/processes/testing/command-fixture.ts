import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Processes } from "../../../contract/ports/processes.js";
import type { CallScope } from "../../../contract/session.js";
import { createOutputStore, type OutputStore } from "../../outputs/outputs.js";
import type { Sandbox } from "../../sandbox/sandbox-types.js";
import { createProcessWorld, type ProcessWorld } from "../processes.js";

/** A workspace on the real disk with real commands in it, without a sandbox unless one is given. */
export interface CommandFixture {
  readonly workspace: string;
  readonly world: ProcessWorld;
  readonly store: OutputStore;
  /** What every process that was started carries, with the mark of its command left open. */
  readonly marks: readonly string[];
  forCall(signal?: AbortSignal, sessionId?: string): Processes;
  /** Processes that carry a mark of this fixture. */
  survivors(): Promise<number[]>;
  close(): Promise<void>;
}

export interface FixtureOptions {
  /** For the workspace, with a home and a state folder beside it. */
  readonly sandbox?: (workspace: string, root: string) => Sandbox;
  readonly env?: Readonly<Record<string, string>>;
  readonly shell?: string;
  readonly outputsDir?: string;
  readonly noJobs?: string;
}

const none = (): Promise<never> => Promise.reject(new Error("nothing is held back without a sandbox"));
const noSandbox: Sandbox = {
  required: false,
  state: () => ({ active: false, reason: "switched off for this test" }),
  ready: async () => noSandbox.state(),
  wrap: () => Promise.reject(new Error("there is no sandbox")),
  openGroup: () => undefined,
  groupDirs: () => [],
  endSession: async () => {},
  leftovers: () => [],
  facts: async () => [],
  quarantine: { list: async () => [], show: none, restore: none, discard: none },
  accept: () => {},
  close: async () => {},
};

/** Make the fixture. */
export function openCommandFixture(options: FixtureOptions = {}): CommandFixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-commands-")));
  const workspace = join(root, "work space");
  mkdirSync(workspace);
  const marks: string[] = [];
  const values = new Map(Object.entries({ PATH: process.env["PATH"] ?? "", HOME: root, ...options.env }));
  const store = createOutputStore({
    dir: options.outputsDir ?? join(root, "outputs"),
    now: Date.now,
    randomBytes,
  });
  const sandbox = options.sandbox?.(workspace, root) ?? noSandbox;
  const world = createProcessWorld({
    sandbox,
    outputs: (scope) => store.forSession(scope.session.id),
    shell: {
      platform: process.platform,
      env: { PATH: process.env["PATH"], SHELL: "/bin/bash" },
      wanted: options.shell,
    },
    folder: (_scope, cwd) => resolve(workspace, cwd ?? "."),
    isAllowed: () => false,
    tempDir: root,
    newMark: () => {
      const mark = randomBytes(9).toString("hex");
      marks.push(mark);
      return mark;
    },
    now: Date.now,
    monotonic: () => performance.now(),
    noJobs: options.noJobs,
  });
  return {
    workspace,
    world,
    store,
    marks,
    forCall(signal = new AbortController().signal, sessionId = "s1") {
      setMaxListeners(0, signal);
      return world.forCall({
        callId: "c1",
        toolName: "shell_exec",
        taskId: undefined,
        session: {
          id: sessionId,
          agent: "tester",
          env: { get: () => null, set: () => null, entries: () => values },
        },
        signal,
        pauseClock: () => () => {},
      } as unknown as CallScope);
    },
    survivors: () => findMarked(marks),
    async close() {
      await world.close();
      await store.close();
      await sandbox.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Processes whose environment holds one of the marks. */
export async function findMarked(marks: readonly string[]): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      const state = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
      if (/\) [ZX] /.test(state)) return [];
      return marks.some((mark) => text.includes(mark)) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}
