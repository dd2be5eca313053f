import { constants } from "node:os";
import type { Outputs } from "../../contract/ports/outputs.js";
import type { CommandRequest, CommandResult } from "../../contract/ports/processes.js";
import type { Exit, Launcher, Running } from "./launch.js";
import { createOutputCollector, type OutputCollector } from "./output-collector.js";
import { createOutputFrames } from "./output-frames.js";
import { startTimedOut } from "./launch-errors.js";
import { prepareCommand, type CommandDeps, type PreparedCommand } from "./prepare-command.js";
import { commandLineOf, readTree } from "./process-table.js";
import { graceMs, groupExists, stopTree, type DoomedTree } from "./stop-tree.js";
import { watchTree } from "./watch-tree.js";
import { watchUsage } from "./tree-usage.js";

/** What a run needs besides the request. */
export interface RunParts extends CommandDeps {
  readonly launcher: (pty: boolean) => Launcher;
  /** Told of each command that was started. */
  readonly onRunning: (running: Running) => void;
  readonly outputs: Outputs;
  readonly signal: AbortSignal;
  readonly monotonic: () => number;
  /** Stop what a command left behind, without anybody waiting. */
  readonly tidy: (tree: DoomedTree, done: () => void) => void;
  /** Work that goes on when the call has been answered; the end of all waits for it. */
  readonly chore: (work: Promise<unknown>) => void;
  /** Look later for processes that left their command's group. */
  readonly sweepLater: (tag: string) => void;
  readonly onUsage: (usage: { readonly cpuMs: number; readonly peakBytes: number }) => void;
}

export type RunRequest = CommandRequest & {
  readonly timeoutMs: number;
  readonly onOutput?: ((stream: "stdout" | "stderr", text: string) => void) | undefined;
};

/** How long output is still read after the exit, where somebody else holds the pipe. */
export const drainMs = 250;
/** A program that has written this much writes without end. */
const maxOutputBytes = 4 * 1024 ** 3;
const longestMs = 2 ** 31 - 1;

/** Run a command to its end, its time limit or its cancellation; nothing of it runs afterwards. */
export async function runCommand(parts: RunParts, request: RunRequest): Promise<CommandResult> {
  const started = parts.monotonic();
  // What is looked at once, with the first command, is not taken from that command's time.
  await Promise.all([parts.shell(), parts.sandbox.ready()]);
  parts.signal.throwIfAborted();
  const frames = request.onOutput && createOutputFrames(request.onOutput);
  const limits = createLimits(parts.signal, request.timeoutMs);
  const collector: OutputCollector = createOutputCollector(parts.outputs, (stream, bytes) => {
    frames?.push(stream, bytes);
    if (collector.bytes > maxOutputBytes) limits.reach("flooded");
  });
  try {
    const { command, running } = await startInTime(parts, request, { limits, collector });
    const usage = watchUsage(running.pid);
    const watch = watchTree(running.pid, command.bounds, (limit) => limits.exceed(limit));
    const end = await untilEnd(running, { command, limits, parts });
    watch.stop();
    frames?.end();
    const settled = await command.settle();
    if (end.why === "cancelled") throw parts.signal.reason;
    const used = usage.stop();
    if (used !== undefined) parts.onUsage(used);
    const { kept, fault } = await collector.finish();
    // Where it was stopped itself, that says it.
    const left = end.why === "exit" ? [...end.left, ...settled.left] : [];
    return {
      stdout: collector.read("stdout"),
      stderr: collector.read("stderr"),
      ...end.exit,
      timedOut: end.why === "timeout",
      flooded: end.why === "flooded",
      leftBehind: end.leftBehind || left.length > 0,
      ...(left.length > 0 && { stoppedProcesses: left }),
      ...(end.why === "exceeded" && { stoppedBy: limits.exceeded() }),
      ...(kept !== undefined && { handle: kept.handle }),
      sandbox: command.sandbox,
      shell: command.shell.name,
      cwd: command.launch.cwd,
      warnings: [...settled.warnings, ...end.warnings, ...(fault === undefined ? [] : [fault])],
      heldBack: settled.heldBack,
      durationMs: parts.monotonic() - started,
      ...(used !== undefined && { usage: used }),
    };
  } catch (thrown) {
    collector.abort();
    throw thrown;
  } finally {
    limits.clear();
  }
}

/** The time limit counts from the call: where the start takes longer, it is given up. */
async function startInTime(
  parts: RunParts,
  request: RunRequest,
  { limits, collector }: { readonly limits: Limits; readonly collector: OutputCollector },
): Promise<{ readonly command: PreparedCommand; readonly running: Running }> {
  const starting = startCommand(parts, request, collector);
  const started = await Promise.race([starting, limits.reached]);
  if (typeof started !== "string") return started;
  // What has started in spite of that is ended.
  const late = starting.then(
    async ({ command, running }) => {
      await stopTree(treeOf(command, running), 0);
      running.release();
      running.group?.remove();
      await command.settle();
    },
    () => {}, // it told nobody why: the time limit is the answer
  );
  parts.chore(late);
  if (started === "cancelled") throw parts.signal.reason;
  throw startTimedOut(request.timeoutMs);
}

/** Prepare and start a command; where it cannot be started, nothing of it stays. */
export async function startCommand(
  parts: RunParts,
  request: CommandRequest,
  collector: OutputCollector,
): Promise<{ readonly command: PreparedCommand; readonly running: Running }> {
  const command = await prepareCommand(parts, request);
  try {
    const launcher = parts.launcher(request.pty === true);
    const running = await launcher.launch(command.launch, collector.sink);
    parts.onRunning(running);
    return { command, running };
  } catch (error) {
    await command.settle();
    throw error;
  }
}

/** What stops a command and all that it started. */
export function treeOf(command: PreparedCommand, running: Running): DoomedTree {
  return {
    pid: running.pid,
    tag: command.tag,
    sandboxed: command.sandbox.active,
    group: running.group,
  };
}

type Why = "exit" | "timeout" | "cancelled" | "flooded" | "exceeded";

interface Limits {
  /** Settles when the first limit is reached. */
  readonly reached: Promise<Why>;
  reach(why: Why): void;
  /** A limit that was told in words is reached. */
  exceed(limit: string): void;
  exceeded(): string | undefined;
  clear(): void;
}

function createLimits(signal: AbortSignal, timeoutMs: number): Limits {
  let reach: (why: Why) => void = () => {};
  let words: string | undefined;
  const reached = new Promise<Why>((resolve) => {
    reach = resolve;
  });
  const cancel = (): void => reach("cancelled");
  // What is no number, or more than a timer can hold, would fire at once.
  const limit = timeoutMs < longestMs ? Math.max(1, timeoutMs) : longestMs;
  const timer = setTimeout(() => reach("timeout"), limit);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  return {
    reached,
    reach: (why) => reach(why),
    exceed(limit) {
      words ??= limit;
      reach("exceeded");
    },
    exceeded: () => words,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    },
  };
}

interface End {
  readonly why: Why;
  readonly exit: { readonly exitCode: number | null; readonly signal: string | null };
  readonly leftBehind: boolean;
  /** Command lines of what was left behind. */
  readonly left: readonly string[];
  readonly warnings: readonly string[];
}

async function untilEnd(
  running: Running,
  { command, limits, parts }: { command: PreparedCommand; limits: Limits; parts: RunParts },
): Promise<End> {
  const tree = treeOf(command, running);
  const why = await Promise.race([running.exited.then((): Why => "exit"), limits.reached]);
  if (why !== "exit") {
    const stopping = stopTree(tree);
    parts.chore(stopping.finally(() => running.group?.remove()));
    // An answer does not wait for a process that even SIGKILL does not end.
    await within(stopping, graceMs + killMs);
    await within(running.drained, drainMs);
    running.release();
    const exit = await Promise.race([running.exited, elapsed(drainMs).then(() => unknownExit)]);
    return {
      why,
      exit: stoppedBy(exit),
      leftBehind: false,
      left: [],
      warnings: limitWarnings(running, command),
    };
  }
  const { leftBehind, left } = await drainAfterExit(running, tree, parts);
  const { code, signal } = await running.exited;
  const warnings = limitWarnings(running, command);
  return { why, exit: { exitCode: code, signal }, leftBehind, left, warnings };
}

/** How long an answer waits for what was killed to be gone. */
export const killMs = 1500;

/** What the kernel refused the command while it ran. */
export function limitWarnings({ group }: Running, { processLimit }: PreparedCommand): string[] {
  const refused = group?.refusals() ?? 0;
  if (refused === 0 || processLimit === undefined) return [];
  return [
    `The command reached its limit of ${processLimit} processes (sandbox.limits.processes): ${refused} could not be started.`,
  ];
}

/** Read what is still in the pipes; whoever holds them longer is stopped. Says whether anybody was there, and who. */
export async function drainAfterExit(
  running: Running,
  tree: DoomedTree,
  parts: Pick<RunParts, "tidy" | "sweepLater">,
): Promise<{ readonly leftBehind: boolean; readonly left: readonly string[] }> {
  const drained = await within(running.drained, drainMs);
  running.release();
  if (tree.sandboxed) {
    running.group?.remove();
    return { leftBehind: !drained, left: [] }; // its end was the end of all inside
  }
  const members = (running.group?.members().length ?? 0) > 0;
  if (drained && !members && !groupExists(tree.pid)) {
    running.group?.remove();
    parts.sweepLater(tree.tag);
    return { leftBehind: false, left: [] };
  }
  const left = await readTree(tree);
  parts.tidy(tree, () => running.group?.remove());
  return { leftBehind: true, left: left.map(({ pid }) => commandLineOf(pid)).filter((line) => line !== "") };
}

const unknownExit: Exit = { code: null, signal: null };

/** It did not end by itself: what it died of counts, not the shell's number for it. */
function stoppedBy({ code, signal }: Exit): End["exit"] {
  const number = code === null ? 0 : code - 128;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [null];
  return { exitCode: name === null ? code : null, signal: signal ?? name };
}

/** Whether a promise settled in time. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
