import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Processes } from "../../../contract/ports/processes.js";
import type { CallScope } from "../../../contract/session.js";
import { createOutputStore, type OutputStore } from "../../outputs/outputs.js";
import type { CommitLayer } from "../../sandbox/layer/layer-types.js";
import type { Sandbox } from "../../sandbox/sandbox-types.js";
import { createProcessWorld, type ProcessWorld } from "../processes.js";

/** A real workspace with real commands, without a sandbox unless one is given. */
export interface CommandFixture {
  readonly workspace: string;
  readonly world: ProcessWorld;
  readonly store: OutputStore;
  /** The tag values in the environment of the processes that were started. */
  readonly tagValues: readonly string[];
  forCall(signal?: AbortSignal, sessionId?: string): Processes;
  /** Processes that have one of the tag values. */
  survivors(): Promise<number[]>;
  close(): Promise<void>;
}

export interface CommandFixtureOptions {
  /** Creates the sandbox for the workspace; `root` is the folder around it. */
  readonly sandbox?: (workspace: string, root: string) => Sandbox;
  readonly env?: Readonly<Record<string, string>>;
  readonly shell?: string;
  readonly outputsDir?: string;
  readonly jobsUnavailable?: string;
  readonly commitLayer?: CommitLayer;
}

const none = (): Promise<never> => Promise.reject(new Error("nothing is held back without a sandbox"));
const unused = (): never => {
  throw new Error("not used in these tests");
};
const unusedLayers = { list: async () => [], show: unused, commit: unused, discard: unused };
const noSandbox: Sandbox = {
  required: false,
  credentialHosts: [],
  state: () => ({ active: false, reason: "switched off for this test" }),
  ready: async () => noSandbox.state(),
  wrap: () => Promise.reject(new Error("there is no sandbox")),
  wrapProgram: () => Promise.reject(new Error("there is no sandbox")),
  openGroup: () => undefined,
  groupDirs: () => [],
  endSession: async () => {},
  leftovers: () => [],
  facts: async () => [],
  connections: () => [],
  quarantine: { list: async () => [], show: none, restore: none, discard: none },
  layers: { list: async () => [], open: none },
  accept: () => {},
  close: async () => {},
};

/** Create the fixture. */
export function openCommandFixture(options: CommandFixtureOptions = {}): CommandFixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-commands-")));
  const workspace = join(root, "work space");
  mkdirSync(workspace);
  const tagValues: string[] = [];
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
    resolveFolder: (_scope, cwd) => resolve(workspace, cwd ?? "."),
    isSecretAllowed: () => false,
    layers: () => unusedLayers,
    tempDir: root,
    newTagValue: () => {
      const tagValue = randomBytes(9).toString("hex");
      tagValues.push(tagValue);
      return tagValue;
    },
    now: Date.now,
    monotonic: () => performance.now(),
    jobsUnavailable: options.jobsUnavailable,
    commitLayer: options.commitLayer,
  });
  return {
    workspace,
    world,
    store,
    tagValues: tagValues,
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
    survivors: () => findTagged(tagValues),
    async close() {
      await world.close();
      await store.close();
      await sandbox.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Processes whose environment contains one of the tag values. */
export async function findTagged(tagValues: readonly string[]): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      const state = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
      if (/\) [ZX] /.test(state)) return [];
      return tagValues.some((tagValue) => text.includes(tagValue)) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}
