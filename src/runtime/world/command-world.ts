import type { RuntimeBase } from "../state/runtime-base.js";
import { randomBytes } from "node:crypto";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ToolSecurityError } from "../../contract/errors.js";
import type { Outputs } from "../../contract/ports/outputs.js";
import type { JobInfo, Processes, SandboxState } from "../../contract/ports/processes.js";
import type { CallScope } from "../../contract/session.js";
import { matchesName } from "../../glob/name-glob.js";
import { workspaceKey } from "../../store/state-dir.js";
import { createOutputStore, type OutputStore } from "../../world/outputs/outputs.js";
import { createPresetResolver } from "../../world/presets/resolve-presets.js";
import type { RunningJob } from "../../world/processes/jobs.js";
import type { ConnectionRow } from "../../world/forwarder/network-activity.js";
import type { AllJobs } from "../../world/processes/all-jobs.js";
import { createProcessWorld, type ProcessWorld } from "../../world/processes/processes.js";
import type { Sandbox } from "../../world/sandbox/sandbox-types.js";
import type { WaitingLayers } from "../../contract/ports/layers.js";
import type { Journal } from "../../world/journal/journal.js";
import type { Guard } from "../../world/files/guard-types.js";
import { createWhitelist } from "../../world/files/whitelist.js";
import type { Guards } from "./guards.js";
import { createTransactions, originOf, type LayerDecider, type Transactions } from "./transactions.js";

export interface CommandWorldOptions extends RuntimeBase {
  readonly guards: Guards;
  readonly sandbox: Sandbox;
  /** Throws if a rule denies the call a host. */
  readonly judgeHost: (scope: CallScope, host: string) => void;
  readonly journal: Journal;
  /** Called with absolute paths that commands changed through their layer. */
  readonly onCommitted: (paths: readonly string[]) => void;
  /** Called with a background job that has ended. */
  readonly onJobEnded?: ((job: JobInfo, scope: CallScope) => Promise<void>) | undefined;
  /** @default that of the user */
  readonly home?: string | undefined;
  /** Why no background job can be started. */
  readonly noJobs?: string | undefined;
}

/** Commands and their outputs, for all calls. */
export interface CommandWorld {
  processes(scope: CallScope): Processes;
  outputs(scope: CallScope): Outputs;
  sandbox(): SandboxState;
  /** The changes of commands that wait, for a person who decides. */
  layers(decider: () => LayerDecider): WaitingLayers;
  /** Check once what can confine commands; `undefined` once it is known. */
  lookForSandbox(): Promise<unknown> | undefined;
  /** The jobs of all sessions; `undefined` before the first command. */
  allJobs(): AllJobs | undefined;
  /** What commands and programs reach over the network, and reached lately. */
  connections(): readonly ConnectionRow[];
  /** The jobs of a session that run now. */
  runningJobs(sessionId: string): readonly RunningJob[];
  /** Stop the jobs of a session and delete its outputs. */
  endSession(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** Prepare commands and their outputs; nothing is started or created before the first command. */
export function createCommandWorld(options: CommandWorldOptions): CommandWorld {
  const { sandbox, clock } = options;
  const dir = (): string => join(options.stateDir, workspaceKey(options.guards.common().root));
  let store: OutputStore | undefined;
  const outputs = (): OutputStore =>
    (store ??= createOutputStore({ dir: join(dir(), "outputs"), now: clock.now, randomBytes }));
  const outputsFor = (scope: CallScope): Outputs => outputs().forSession(scope.session.id);
  let looked = false;
  let world: ProcessWorld | undefined;
  const transactions = createTransactions({
    ...options,
    layers: sandbox.layers,
    openFiles: () => processes().openFiles(),
  });
  const processes = (): ProcessWorld => (world ??= openProcesses({ ...options, transactions }, outputsFor));
  return {
    processes: (scope) => processes().forCall(scope),
    outputs: outputsFor,
    sandbox: () => sandbox.state(),
    layers: (decider) => transactions.waiting(decider),
    lookForSandbox: () =>
      looked
        ? undefined
        : sandbox.ready().then(
            () => (looked = true),
            () => (looked = true), // once is enough: running a command reports why
          ),
    allJobs: () => world?.allJobs,
    connections: () => sandbox.connections(),
    runningJobs: (sessionId) => world?.runningJobs(sessionId) ?? [],
    async endSession(sessionId) {
      await world?.endSession(sessionId);
      await store?.endSession(sessionId);
    },
    async close() {
      await world?.close();
      await store?.close();
      await sandbox.close();
    },
  };
}

function openProcesses(
  {
    config,
    guards,
    sandbox,
    judgeHost,
    env,
    home,
    clock,
    noJobs,
    onJobEnded,
    transactions,
  }: CommandWorldOptions & { readonly transactions: Transactions },
  outputs: (scope: CallScope) => Outputs,
): ProcessWorld {
  const wanted = config.tools.perTool["shell_exec"]?.custom?.["shell"];
  return createProcessWorld({
    sandbox,
    judgeHost,
    outputs,
    shell: {
      platform: process.platform,
      env,
      ...(typeof wanted === "string" && { wanted }),
    },
    resolveFolder: (scope, cwd) => startFolder(guards, scope, cwd),
    presets: createPresetResolver({ home: home ?? homedir(), workspace: guards.common().root, env }),
    isSecretAllowed: (name) => config.secrets.allowEnv.some((glob) => matchesName(glob, name)),
    tempDir: tmpdir(),
    newTagValue: () => randomBytes(9).toString("hex"),
    now: clock.now,
    monotonic: clock.monotonic,
    jobsUnavailable: noJobs,
    onJobEnded,
    commitLayer: transactions.commit,
    expectLayer: transactions.expect,
    layers: (scope) => transactions.waiting(() => ({ origin: originOf(scope), scope })),
  });
}

/** A folder that the call may access, or one above it: the guard checks its real path. */
function startFolder(guards: Guards, { toolName, session }: CallScope, cwd: string | undefined): string {
  const guard = guards.forCall(toolName, session);
  const verdict = guard.check(cwd ?? ".", "read");
  if (!verdict.allowed && !isAbove(guards, guard, cwd ?? ".")) {
    throw new ToolSecurityError(`A command cannot start in "${cwd ?? "."}": ${verdict.reason}`, {
      code: verdict.code,
      hint: "Start it in a folder of the workspace.",
    });
  }
  return guard.canonical(cwd ?? ".");
}

/** Allowed but for the lists of allowed paths, and on the way to one of them: the sandbox hides what is beside it. */
function isAbove(guards: Guards, guard: Guard, folder: string): boolean {
  const verdict = guards.common().check(folder, "read");
  return verdict.allowed && createWhitelist(guard.rules)?.(verdict.path) === "above";
}
