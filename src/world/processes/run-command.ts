import { constants } from "node:os";
import type { Outputs } from "../../contract/ports/outputs.js";
import type { CommandRequest, CommandResult } from "../../contract/ports/processes.js";
import type { Exit, Launcher, Running } from "./launch.js";
import { createOutputCollector, type OutputCollector } from "./output-collector.js";
import { createOutputFrames } from "./output-frames.js";
import { prepareCommand, type CommandGround, type PreparedCommand } from "./prepare-command.js";
import { groupExists, stopTree, type DoomedTree } from "./stop-tree.js";
import { watchUsage } from "./tree-usage.js";

/** What a run needs besides the request. */
export interface RunParts extends CommandGround {
  readonly launcher: (pty: boolean) => Launcher;
  readonly outputs: Outputs;
  readonly signal: AbortSignal;
  readonly monotonic: () => number;
  /** Stop what a command left behind, without anybody waiting. */
  readonly tidy: (tree: DoomedTree) => void;
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
  parts.signal.throwIfAborted();
  const command = await prepareCommand(parts, request);
  const frames = request.onOutput && createOutputFrames(request.onOutput);
  const limits = createLimits(parts.signal, request.timeoutMs);
  const collector: OutputCollector = createOutputCollector(parts.outputs, (stream, bytes) => {
    frames?.push(stream, bytes);
    if (collector.bytes > maxOutputBytes) limits.reach("flooded");
  });
  try {
    const running = await parts.launcher(request.pty === true).launch(command.launch, collector.sink);
    const usage = watchUsage(running.pid);
    const end = await untilEnd(running, { command, limits, parts });
    frames?.end();
    if (end.why === "cancelled") throw parts.signal.reason;
    const used = usage.stop();
    if (used !== undefined) parts.onUsage(used);
    const { kept, fault } = await collector.finish();
    const warnings = [...(await command.settle()), ...(fault === undefined ? [] : [fault])];
    return {
      stdout: collector.read("stdout"),
      stderr: collector.read("stderr"),
      ...end.exit,
      timedOut: end.why === "timeout",
      flooded: end.why === "flooded",
      leftBehind: end.leftBehind,
      ...(kept !== undefined && { handle: kept.handle }),
      sandbox: command.sandbox,
      shell: command.shell.name,
      cwd: command.launch.cwd,
      warnings,
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

type Why = "exit" | "timeout" | "cancelled" | "flooded";

interface Limits {
  /** Settles when the first limit is reached. */
  readonly reached: Promise<Why>;
  reach(why: Why): void;
  clear(): void;
}

function createLimits(signal: AbortSignal, timeoutMs: number): Limits {
  let reach: (why: Why) => void = () => {};
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
}

async function untilEnd(
  running: Running,
  { command, limits, parts }: { command: PreparedCommand; limits: Limits; parts: RunParts },
): Promise<End> {
  const tree = { pid: running.pid, tag: command.tag, sandboxed: command.sandbox.active };
  const why = await Promise.race([running.exited.then((): Why => "exit"), limits.reached]);
  if (why !== "exit") {
    await stopTree(tree);
    await within(running.drained, drainMs);
    running.release();
    const exit = await Promise.race([running.exited, elapsed(drainMs).then(() => unknownExit)]);
    return { why, exit: stoppedBy(exit), leftBehind: false };
  }
  const leftBehind = await drainAfterExit(running, tree, parts);
  const { code, signal } = await running.exited;
  return { why, exit: { exitCode: code, signal }, leftBehind };
}

/** Read what is still in the pipes; whoever holds them longer is stopped. Says whether anybody was there. */
export async function drainAfterExit(
  running: Running,
  tree: DoomedTree,
  parts: Pick<RunParts, "tidy" | "sweepLater">,
): Promise<boolean> {
  const drained = await within(running.drained, drainMs);
  running.release();
  if (tree.sandboxed) return !drained; // its end was the end of all inside
  const leftBehind = !drained || groupExists(tree.pid);
  if (leftBehind) parts.tidy(tree);
  else parts.sweepLater(tree.tag);
  return leftBehind;
}

const unknownExit: Exit = { code: null, signal: null };

/** It did not end by itself: what it died of counts, not the shell's number for it. */
function stoppedBy({ code, signal }: Exit): End["exit"] {
  const number = code === null ? 0 : code - 128;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [null];
  return { exitCode: name === null ? code : null, signal: signal ?? name };
}

/** Whether a promise settled in time. */
async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
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
