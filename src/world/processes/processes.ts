import { ToolUnavailableError } from "../../contract/errors.js";
import type { Outputs } from "../../contract/ports/outputs.js";
import type { Processes } from "../../contract/ports/processes.js";
import type { CallScope } from "../../contract/session.js";
import type { CommandGroup } from "../sandbox/command-group.js";
import type { Sandbox } from "../sandbox/sandbox-types.js";
import { createNameJudge } from "../secrets/secret-names.js";
import { createDirectLauncher } from "./direct-launcher.js";
import { createHelperLauncher } from "./helper-launcher.js";
import { Jobs } from "./jobs.js";
import type { Launcher } from "./launch.js";
import { createPtyLauncher } from "./pty-launcher.js";
import { runCommand, type RunParts } from "./run-command.js";
import { findBash, findShell, type ShellSource } from "./shell.js";
import { stopTree } from "./stop-tree.js";
import { createSweeper } from "./sweeper.js";

export interface ProcessWorldOptions {
  readonly sandbox: Sandbox;
  readonly outputs: (scope: CallScope) => Outputs;
  readonly shell: ShellSource;
  /** The real absolute path of a folder that a call may start commands in; refuses any other. */
  readonly folder: (scope: CallScope, cwd: string | undefined) => string;
  /** Whether a secret-looking variable of the session may be seen by commands. */
  readonly isAllowed: (name: string) => boolean;
  /** For pipes and what is handed to programs in files. */
  readonly tempDir: string;
  readonly newMark: () => string;
  readonly now: () => number;
  readonly monotonic: () => number;
  /** Why no jobs can be started, where the host ends with its call. */
  readonly noJobs?: string | undefined;
}

/** Commands of all sessions. */
export interface ProcessWorld {
  forCall(scope: CallScope): Processes;
  /** Stop the jobs of a session. */
  endSession(sessionId: string): Promise<void>;
  /** Stop everything that still runs. */
  close(): Promise<void>;
}

/** Prepare commands; nothing is started before the first one. */
export function createProcessWorld(options: ProcessWorldOptions): ProcessWorld {
  const { sandbox, shell: source, newMark } = options;
  const isSecret = createNameJudge();
  const isVisible = (name: string): boolean => !isSecret(name) || options.isAllowed(name);
  const runMark = newMark();
  const runTag = `TENON_RUN=${runMark}`;
  /** The first processes of all commands that run without a sandbox. */
  const unheld = new Set<number>();
  const jobs = new Map<string, Jobs>();
  const chores = new Set<Promise<void>>();
  const shell = once(() => findShell(source));
  const launchers = createLaunchers(options, runMark);
  const sweeper = createSweeper({
    runTag,
    adopter: () => launchers.adopter(),
    running: () => [...unheld],
  });

  const addChore = (work: Promise<unknown>): void => {
    const chore = work.then(
      () => void chores.delete(chore),
      () => void chores.delete(chore), // whoever waits for it hears why
    );
    chores.add(chore);
  };
  const partsOf = (scope: CallScope): RunParts => ({
    shell,
    sandbox,
    folder: (cwd) => options.folder(scope, cwd),
    paths: () => scope.commandPaths?.(),
    sessionId: scope.session.id,
    sessionEnv: () => scope.session.env.entries(),
    isVisible,
    newMark,
    runTag: runMark,
    origin: () => ({
      callId: scope.callId,
      sessionId: scope.session.id,
      changes: scope.changes?.() ?? [],
    }),
    launcher: (pty) => launchers.choose(pty),
    onRunning: ({ pid, exited }) => {
      if (sandbox.state().active) return;
      unheld.add(pid);
      void exited.then(() => unheld.delete(pid));
    },
    outputs: options.outputs(scope),
    signal: scope.signal,
    monotonic: options.monotonic,
    tidy: (tree, done) => addChore(stopTree(tree).finally(done)),
    chore: addChore,
    sweepLater: (tag) => sweeper.later(tag),
    onUsage: ({ cpuMs, peakBytes }) => scope.used?.({ cpuMs, memoryBytes: peakBytes }),
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
        quarantine: sandbox.quarantine,
        shell,
        run: async (request) => {
          await launchers.ready();
          return runCommand(partsOf(scope), request);
        },
        start: async (request) => {
          if (options.noJobs !== undefined) throw jobsRefused(options.noJobs);
          await launchers.ready();
          return jobsOf(id).start({ ...partsOf(scope), now: options.now }, request);
        },
        jobs: () => jobsOf(id).list(),
        output: (jobId) => jobsOf(id).output(jobId),
        kill: (jobId) => jobsOf(id).kill(jobId),
      };
    },
    async endSession(sessionId) {
      const ending = jobs.get(sessionId);
      jobs.delete(sessionId);
      await ending?.close();
      await sandbox.endSession(sessionId);
    },
    async close() {
      await Promise.all([...jobs.values()].map((each) => each.close()));
      await Promise.all(chores);
      sweeper.close();
      if (launchers.used()) await sweeper.all();
      await launchers.close();
    },
  };
}

interface Launchers {
  /** Find out which way commands are started, once. */
  ready(): Promise<void>;
  /** The process that adopts orphans of commands, where one does. */
  adopter(): number | undefined;
  choose(pty: boolean): Launcher;
  used(): boolean;
  close(): Promise<void>;
}

function createLaunchers(options: ProcessWorldOptions, tag: string): Launchers {
  const { shell, sandbox, tempDir } = options;
  const openGroup = (): CommandGroup | undefined => sandbox.openGroup();
  // A sandbox or a group holds what leaves its command's session; else only this does.
  const adopts = (): boolean => !sandbox.state().active && sandbox.groupDirs().length === 0;
  let plain: Launcher | undefined;
  let helper: { readonly pid: number | undefined } | undefined;
  let pty: Launcher | undefined;
  const prepare = once(async () => {
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
      adoptOrphans: adopts,
      onLate: ({ pid, group }) => void stopTree({ pid, tag: "", sandboxed: true, group }, 0),
    });
  });
  return {
    ready: prepare,
    adopter: () => (adopts() ? helper?.pid : undefined),
    choose(wanted) {
      if (wanted) return (pty ??= createPtyLauncher(tempDir, openGroup));
      return (plain ??= createDirectLauncher(openGroup));
    },
    used: () => plain !== undefined,
    close: async () => plain?.close(),
  };
}

/** Ask once; what failed is asked again. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((cause: unknown) => {
      answer = undefined;
      throw cause;
    });
    return answer;
  };
}

function jobsRefused(reason: string): ToolUnavailableError {
  return new ToolUnavailableError(`A background job cannot be started: ${reason}.`, {
    code: "SERVICE_UNAVAILABLE",
    retryable: false,
    hint: "Run the command in the foreground, or use Tenon as a library, whose sessions last.",
  });
}
