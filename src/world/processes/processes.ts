import { visibleSessions } from "../../contract/ownership.js";
import { visibleQuarantine } from "../sandbox/quarantine/visible-quarantine.js";
import { ToolUnavailableError } from "../../contract/errors.js";
import type { WaitingLayers } from "../../contract/ports/layers.js";
import type { Outputs } from "../../contract/ports/outputs.js";
import type { JobInfo, CommandResult, Processes } from "../../contract/ports/processes.js";
import type { CallScope, SessionFolder } from "../../contract/session.js";
import type { CommandGroup } from "../sandbox/command-group.js";
import type { CommitLayer, ExpectLayer } from "../sandbox/layer/layer-types.js";
import type { Sandbox } from "../sandbox/sandbox-types.js";
import { presetNames } from "../../contract/preset-names.js";
import type { PresetResolver } from "../presets/resolve-presets.js";
import { createNameJudge } from "../secrets/secret-names.js";
import { createDirectLauncher } from "./direct-launcher.js";
import { createHelperLauncher } from "./helper-launcher.js";
import { createAllJobs, type AllJobs } from "./all-jobs.js";
import { Jobs, type RunningJob } from "./jobs.js";
import type { Launcher } from "./launch.js";
import { NoLayerError } from "./launch-errors.js";
import { openFilesOf } from "./open-files.js";
import { createPtyLauncher } from "./pty-launcher.js";
import { runCommand, type RunDeps, type RunRequest } from "./run-command.js";
import { findBash, findShell, type ShellSource } from "./shell.js";
import { stopTree } from "./stop-tree.js";
import { createSweeper } from "./sweeper.js";

export interface ProcessWorldOptions {
  readonly sandbox: Sandbox;
  readonly outputs: (scope: CallScope) => Outputs;
  readonly shell: ShellSource;
  /** The real absolute path of a folder that a call may start commands in; throws for any other folder. */
  readonly resolveFolder: (scope: CallScope, cwd: string | undefined) => string;
  /** Whether a secret-looking variable of the session may be seen by commands. */
  readonly isSecretAllowed: (name: string) => boolean;
  /** Throws if a rule denies the call a host. */
  readonly judgeHost?: ((scope: CallScope, host: string) => void) | undefined;
  /** For pipes and for files that are passed to programs. */
  readonly tempDir: string;
  readonly newTagValue: () => string;
  readonly now: () => number;
  readonly monotonic: () => number;
  /** Finds the hosts of tools by their configuration. @default none are found */
  readonly presets?: PresetResolver | undefined;
  /** What happens to the changes of a command on a layer; without it, commands run directly on the workspace. */
  readonly commitLayer?: CommitLayer | undefined;
  readonly expectLayer?: ExpectLayer | undefined;
  /** The changes of commands that wait for a decision, as a call may decide. */
  readonly layers: (scope: CallScope) => WaitingLayers;
  /** Called with a background job that has ended; the job counts as finished when this is done. */
  readonly onJobEnded?: ((job: JobInfo, scope: CallScope) => Promise<void>) | undefined;
  /** Why background jobs cannot be started, if the host process ends with the call. */
  readonly jobsUnavailable?: string | undefined;
}

/** Runs the commands of all sessions. */
export interface ProcessWorld {
  forCall(scope: CallScope): Processes;
  /** Devices and inodes of the files that background jobs have open. */
  openFiles(): Promise<ReadonlySet<string>>;
  /** The jobs of a session that run now. */
  runningJobs(sessionId: string): readonly RunningJob[];
  /** The jobs of all sessions, for a person. */
  readonly allJobs: AllJobs;
  /** Stop the jobs of a session. */
  endSession(sessionId: string): Promise<void>;
  /** Stop everything that still runs. */
  close(): Promise<void>;
}

/** Create the process world; nothing is started before the first command. */
export function createProcessWorld(options: ProcessWorldOptions): ProcessWorld {
  const { sandbox, shell: source, newTagValue: newMark } = options;
  const isSecret = createNameJudge();
  const isVisible = (name: string): boolean => !isSecret(name) || options.isSecretAllowed(name);
  const runTagValue = newMark();
  const runTag = `TENON_RUN=${runTagValue}`;
  /** The first processes of all commands that run without a sandbox. */
  const unsandboxed = new Set<number>();
  const jobs = new Map<string, Jobs>();
  const backgroundWork = new Set<Promise<void>>();
  const shell = onceUnlessFailed(() => findShell(source));
  const launchers = createLaunchers(options, runTagValue);
  const sweeper = createSweeper({
    runTag,
    orphanAdopter: () => launchers.orphanAdopter(),
    runningPids: () => [...unsandboxed],
  });

  const trackBackground = (work: Promise<unknown>): void => {
    const forget = (): void => void backgroundWork.delete(tracked);
    const tracked = work.then(forget, forget); // the caller that awaits it gets the error
    backgroundWork.add(tracked);
  };
  const { commitLayer, expectLayer } = options;
  const runDepsFor = (scope: CallScope): RunDeps => ({
    ...(commitLayer !== undefined && {
      useLayer: true,
      commitLayer: (layer, run) => commitLayer(layer, { ...run, scope }),
      expectLayer: (layer, run) => expectLayer?.(layer, { ...run, scope }),
    }),
    now: options.now,
    shell,
    sandbox,
    resolveFolder: (cwd) => options.resolveFolder(scope, cwd),
    paths: () => scope.commandPaths?.(),
    judgeHost: (host) => options.judgeHost?.(scope, host),
    sessionId: scope.session.id,
    sessionEnv: () => scope.session.env.entries(),
    isVisible,
    newTagValue: newMark,
    runTagValue: runTagValue,
    origin: () => ({
      callId: scope.callId,
      sessionId: scope.session.id,
      changes: scope.changes?.() ?? [],
    }),
    launcher: (pty) => launchers.choose(pty),
    onRunning: ({ pid, exited }) => {
      if (sandbox.state().active) return;
      unsandboxed.add(pid);
      void exited.then(() => unsandboxed.delete(pid));
    },
    outputs: options.outputs(scope),
    signal: scope.signal,
    monotonic: options.monotonic,
    stopLeftovers: (tree, done) => trackBackground(stopTree(tree).finally(done)),
    trackBackground: trackBackground,
    sweepLater: (tag) => sweeper.sweepLater(tag),
    onJobEnded: async (job) => options.onJobEnded?.(job, scope),
    onUsage: ({ cpuMs, peakBytes, ioBytes }) =>
      scope.used?.({ cpuMs, ioBytes, ...(peakBytes !== undefined && { memoryBytes: peakBytes }) }),
  });
  const jobsOf = (sessionId: string): Jobs => {
    const known = jobs.get(sessionId) ?? new Jobs();
    jobs.set(sessionId, known);
    return known;
  };
  return {
    forCall(scope) {
      const { id } = scope.session;
      return {
        get sandbox() {
          return sandbox.state();
        },
        quarantine: visibleQuarantine(sandbox.quarantine, visibleSessions(scope.session)),
        layers: options.layers(scope),
        folder: scope.session.folder ?? workspaceOnly,
        credentialHosts: sandbox.credentialHosts,
        presetHosts: async (names, cwd, entered = []) =>
          (await options.presets?.({
            names: presetNames.filter((name) => names.includes(name)),
            cwd: options.resolveFolder(scope, cwd),
            entered,
            env: scope.session.env.entries(),
            ask: async (command) => {
              // Outside of a sandbox, a program of the workspace could take the place of the tool.
              if (!(await sandbox.ready()).active) return undefined;
              await launchers.prepare();
              // The session may have changed its own.
              const path = options.shell.env["PATH"];
              const env = path === undefined ? {} : { PATH: path };
              const request = { command, cwd, env, readOnly: true, timeoutMs: askMs };
              const { exitCode, stdout } = await runCommand(runDepsFor(scope), request);
              return exitCode === 0 ? stdout.text : undefined;
            },
          })) ?? { hosts: [], variables: {}, unknown: names },
        shell,
        run: async (request) => {
          await launchers.prepare();
          const deps = runDepsFor(scope);
          return scope.askAfter === undefined ? runCommand(deps, request) : runFirst(deps, request, scope);
        },
        start: async (request) => {
          await scope.askAfter?.();
          if (options.jobsUnavailable !== undefined) throw jobsRefused(options.jobsUnavailable);
          await launchers.prepare();
          return jobsOf(id).start(runDepsFor(scope), request);
        },
        jobs: () => jobsOf(id).list(),
        output: (jobId) => jobsOf(id).output(jobId),
        type: (jobId, input) => jobsOf(id).type(jobId, input),
        kill: (jobId) => jobsOf(id).kill(jobId),
      };
    },
    async openFiles() {
      const all = await Promise.all([...jobs.values()].map((each) => each.list()));
      const running = all.flat().filter(({ state }) => state.kind !== "exited");
      return openFilesOf(running.map(({ pid }) => pid));
    },
    allJobs: createAllJobs(jobs),
    runningJobs: (sessionId) => jobs.get(sessionId)?.running() ?? [],
    async endSession(sessionId) {
      const ending = jobs.get(sessionId);
      jobs.delete(sessionId);
      await ending?.close();
      await sandbox.endSession(sessionId);
    },
    async close() {
      await Promise.all([...jobs.values()].map((each) => each.close()));
      await Promise.all(backgroundWork);
      sweeper.close();
      if (launchers.wereUsed()) await sweeper.sweepAll();
      await launchers.close();
    },
  };
}

/** How long a tool may take to print its registry. */
const askMs = 20_000;

/** For a caller that keeps no folder from command to command. */
const workspaceOnly: SessionFolder = { path: undefined, previous: undefined, lost: undefined, enter() {} };

/** Run a command that nobody has consented to yet: on a layer, without network. */
async function runFirst(deps: RunDeps, request: RunRequest, scope: CallScope): Promise<CommandResult> {
  try {
    return await runCommand({ ...deps, contained: true }, { ...request, network: [] });
  } catch (error) {
    if (!(error instanceof NoLayerError)) throw error;
    await scope.askAfter?.();
    return runCommand(deps, request);
  }
}

interface Launchers {
  /** Find out once how commands are started. */
  prepare(): Promise<void>;
  /** The process that adopts orphaned processes of commands, if there is one. */
  orphanAdopter(): number | undefined;
  choose(pty: boolean): Launcher;
  wereUsed(): boolean;
  close(): Promise<void>;
}

function createLaunchers(options: ProcessWorldOptions, tag: string): Launchers {
  const { shell, sandbox, tempDir } = options;
  const openGroup = (): CommandGroup | undefined => sandbox.openGroup();
  // Without a sandbox or a control group, adoption is the only way to find processes that leave their session.
  const adoptsOrphans = (): boolean => !sandbox.state().active && sandbox.groupDirs().length === 0;
  let plain: Launcher | undefined;
  let helper: { readonly pid: number | undefined } | undefined;
  let pty: Launcher | undefined;
  const prepare = onceUnlessFailed(async () => {
    const bash = await findBash(shell);
    if (bash === undefined) {
      plain = createDirectLauncher(openGroup);
      return;
    }
    plain = helper = createHelperLauncher({
      bash,
      tempDir,
      tag,
      openGroup,
      groupDirs: () => sandbox.groupDirs(),
      leftovers: () => sandbox.leftovers(),
      adoptOrphans: adoptsOrphans,
      onLate: ({ pid, group }) => void stopTree({ pid, tag: "", sandboxed: true, group }, 0),
    });
  });
  return {
    prepare: prepare,
    orphanAdopter: () => (adoptsOrphans() ? helper?.pid : undefined),
    choose(wanted) {
      if (wanted) return (pty ??= createPtyLauncher(tempDir, openGroup));
      return (plain ??= createDirectLauncher(openGroup));
    },
    wereUsed: () => plain !== undefined,
    close: async () => plain?.close(),
  };
}

/** Remember the first result; after a failure, the next call tries again. */
function onceUnlessFailed<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= run().catch((cause: unknown) => {
      result = undefined;
      throw cause;
    });
    return result;
  };
}

function jobsRefused(reason: string): ToolUnavailableError {
  return new ToolUnavailableError(`A background job cannot be started: ${reason}.`, {
    code: "SERVICE_UNAVAILABLE",
    retryable: false,
    hint: "Run the command in the foreground, or use Tenon as a server or library, where sessions outlive a call.",
  });
}
