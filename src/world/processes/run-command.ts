import { settlesWithin, waitAtMost } from "../../contract/system-clock.js";
import type { Outputs } from "../../contract/ports/outputs.js";
import type { CommandRequest, CommandResult, JobInfo } from "../../contract/ports/processes.js";
import type { FinishedCommand } from "../sandbox/sandbox-types.js";
import type { CommandLayer, ExpectedRun, LayerOutcome, LayerRun } from "../sandbox/layer/layer-types.js";
import type { Launcher, Running } from "./launch.js";
import { createOutputCollector, type OutputCollector } from "./output-collector.js";
import { createOutputFrames } from "./output-frames.js";
import { refuseWithoutLayer, startTimedOut } from "./launch-errors.js";
import { limitWarnings } from "./limit-warnings.js";
import { feedInput } from "./process-input.js";
import { prepareCommand, type CommandDeps, type PreparedCommand } from "./prepare-command.js";
import { drainAfterExit, drainMs, drainsSoon, type LeftoverDeps } from "./drain-after-exit.js";
import type { ProcessTree } from "./process-table.js";
import type { EndedUsage } from "./children-usage.js";
import { exitAfterStop, unknownExit } from "./exit-after-stop.js";
import { graceMs, stopTree } from "./stop-tree.js";
import { createRunLimits, type EndReason, type RunLimits } from "./run-limits.js";
import { watchTree } from "./watch-tree.js";
import { watchUsage, type TreeUsage, type UsageMeter } from "./tree-usage.js";

/** What running a command needs besides the request. */
export interface RunDeps extends CommandDeps, LeftoverDeps {
  readonly launcher: (pty: boolean) => Launcher;
  /** Called with each command that was started. */
  readonly onRunning: (running: Running) => void;
  readonly outputs: Outputs;
  readonly signal: AbortSignal;
  readonly monotonic: () => number;
  /** Register work that continues after the call was answered; closing waits for it. */
  readonly trackBackground: (work: Promise<unknown>) => void;
  /** What happens to the changes of a command on a layer; without it, commands run directly. */
  readonly commitLayer?:
    | ((layer: CommandLayer, run: Omit<LayerRun, "scope">) => Promise<LayerOutcome>)
    | undefined;
  readonly expectLayer?: ((layer: CommandLayer, run: Omit<ExpectedRun, "scope">) => void) | undefined;
  /** Called with a background job that has ended. */
  readonly onJobEnded?: ((job: JobInfo) => Promise<void>) | undefined;
  readonly onUsage: (usage: TreeUsage) => void;
}

export type RunRequest = CommandRequest & {
  readonly timeoutMs: number;
  readonly onOutput?: ((stream: "stdout" | "stderr", text: string) => void) | undefined;
};

/** A program that has written this much is taken to write without end, and stopped. */
const maxOutputBytes = 4 * 1024 ** 3;

/** Run a command until it ends, times out or is cancelled; none of its processes runs afterwards. */
export async function runCommand(parts: RunDeps, request: RunRequest): Promise<CommandResult> {
  const started = parts.monotonic();
  // The first command triggers these checks; they do not count towards its time limit.
  await Promise.all([parts.shell(), parts.sandbox.ready()]);
  parts.signal.throwIfAborted();
  const frames = request.onOutput && createOutputFrames(request.onOutput);
  const limits = createRunLimits(parts.signal, request.timeoutMs);
  const collector: OutputCollector = createOutputCollector(parts.outputs, (stream, bytes) => {
    frames?.push(stream, bytes);
    if (collector.bytes > maxOutputBytes) limits.reach("flooded");
  });
  try {
    const { command, running } = await startWithinLimits(parts, request, { limits, collector });
    feedInput(running.input, request.stdin);
    const usage = watchUsage(running.pid);
    const watch = watchTree(running.pid, command.treeLimits, (limit) => limits.exceedTreeLimit(limit));
    const end = await waitForEnd(running, { command, limits, parts });
    const overLimit = await watch.stop();
    frames?.end();
    const finished = await command.finish();
    const { why } = end;
    if (why === "cancelled") {
      await command.layer?.keep("the call was cancelled");
      throw parts.signal.reason;
    }
    if (command.wasMounted?.() === false) {
      await command.layer?.discard();
      collector.abort();
      return await runCommand({ ...parts, useLayer: notMounted }, request);
    }
    const kept = await collector.finish();
    const dryRun = request.dryRun === true;
    const { exitCode } = end.exit;
    const stdout = collector.read("stdout");
    const stderr = collector.read("stderr");
    const succeeded = why === "exit" && exitCode === 0;
    const messages = errorsIn({ stdout, stderr }, request.command, succeeded);
    const hint = why === "exit" ? command.explain?.(messages, succeeded) : undefined;
    const failedByLayer = hint !== undefined && !succeeded;
    const isQuiet = isAllOver(finished);
    const run = { end: why, exitCode, overLimit, failedByLayer, dryRun, isQuiet };
    const changes = await commitChanges(parts, command, run);
    if (succeeded) command.succeeded();
    const blocked = command.blockedPaths(messages);
    const stoppedBy = limits.exceededTreeLimit() ?? overLimit;
    const used = reportUsage(parts, usage, finished.used ?? running.takeUsage?.());
    return {
      stdout,
      stderr,
      ...toResult(command, { end, finished, kept, changes, hint }),
      ...(blocked.length > 0 && { blocked }),
      ...(stoppedBy !== undefined && { stoppedBy }),
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

/** The output in which errors are: of a line that succeeded, the standard output counts only if the line sends errors there. */
function errorsIn(
  { stdout, stderr }: Pick<CommandResult, "stdout" | "stderr">,
  line: string,
  succeeded: boolean,
): string {
  return succeeded && !/2>&1|&>|\|&/.test(line) ? stderr.text : `${stderr.text}\n${stdout.text}`;
}

/** What the command used is told with what it left behind; without it, nobody has looked. */
function isAllOver({ used, leftovers }: FinishedCommand): boolean {
  return used !== undefined && leftovers.length === 0;
}

/** Taken as late as possible: the last processes of a command may end after it. */
function reportUsage(
  { onUsage }: RunDeps,
  meter: UsageMeter,
  ended: EndedUsage | undefined,
): TreeUsage | undefined {
  const used = meter.stop(ended);
  if (used !== undefined) onUsage(used);
  return used;
}

/** What the result says besides the output. */
function toResult(
  command: PreparedCommand,
  { end, finished, kept, changes, hint }: EndedCommand,
): Omit<CommandResult, "stdout" | "stderr" | "durationMs"> {
  // If the command itself was stopped, its leftover processes are not worth reporting.
  const leftovers = end.why === "exit" ? [...end.leftovers, ...finished.leftovers] : [];
  const remarks = [kept.fault, hint].filter((text) => text !== undefined);
  return {
    ...end.exit,
    timedOut: end.why === "timeout",
    flooded: end.why === "flooded",
    leftBehind: end.leftBehind || leftovers.length > 0,
    ...(leftovers.length > 0 && { stoppedProcesses: leftovers }),
    ...(kept.kept !== undefined && { handle: kept.kept.handle }),
    sandbox: command.sandbox,
    shell: command.shell.name,
    cwd: command.launch.cwd,
    ...(command.direct !== undefined && { direct: command.direct }),
    ...changes,
    network: command.networkUse(),
    heldBack: [...finished.heldBack, ...(changes.heldBack ?? [])],
    warnings: [...(changes.warnings ?? []), ...finished.warnings, ...end.warnings, ...remarks],
  };
}

interface EndedCommand {
  readonly end: RunEnd;
  readonly finished: FinishedCommand;
  readonly kept: Awaited<ReturnType<OutputCollector["finish"]>>;
  readonly changes: LayerOutcome;
  readonly hint: string | undefined;
}

async function commitChanges(
  { commitLayer }: RunDeps,
  { layer }: PreparedCommand,
  run: Omit<LayerRun, "scope">,
): Promise<LayerOutcome> {
  return layer === undefined || commitLayer === undefined ? {} : commitLayer(layer, run);
}

const notMounted = "a layer could not be mounted over the workspace";

/** The time limit includes the start: a command that takes longer to start is given up. */
async function startWithinLimits(
  parts: RunDeps,
  request: RunRequest,
  { limits, collector }: { readonly limits: RunLimits; readonly collector: OutputCollector },
): Promise<StartedCommand> {
  const starting = startCommand(parts, request, collector);
  const started = await Promise.race([starting, limits.reached]);
  if (typeof started !== "string") return started;
  // If it starts after all, it is stopped.
  const late = starting.then(
    (started) => abandonCommand(started, 0),
    () => {}, // the caller already gets the time limit as the reason
  );
  parts.trackBackground(late);
  if (started === "cancelled") throw parts.signal.reason;
  throw startTimedOut(request.timeoutMs);
}

/** A command and the process that runs it. */
export interface StartedCommand {
  readonly command: PreparedCommand;
  readonly running: Running;
}

/** Prepare and start a command; if it cannot be started, everything prepared is cleaned up. */
export async function startCommand(
  parts: RunDeps,
  request: CommandRequest,
  collector: OutputCollector,
): Promise<StartedCommand> {
  const command = await prepareCommand(parts, request);
  try {
    if (command.layer === undefined && !request.readOnly)
      refuseWithoutLayer({ ...parts, ...request, ...command });
    const launcher = parts.launcher(request.pty === true);
    const hasInput = request.stdin !== undefined || parts.background === true;
    const running = await launcher.launch({ ...command.launch, hasInput }, collector.sink);
    parts.onRunning(running);
    command.started(processTreeOf(command, running));
    if (command.layer !== undefined) parts.expectLayer?.(command.layer, { dryRun: request.dryRun === true });
    return { command, running };
  } catch (error) {
    await command.finish();
    await command.layer?.discard();
    throw error;
  }
}

/** Stop a command that nobody waits for any more. */
export async function abandonCommand({ command, running }: StartedCommand, grace = graceMs): Promise<void> {
  await stopTree(processTreeOf(command, running), grace);
  running.release();
  running.group?.remove();
  await command.finish();
  await command.layer?.discard();
}

/** The processes of a running command, for stopping it. */
export function processTreeOf(command: PreparedCommand, running: Running): ProcessTree {
  return {
    pid: running.pid,
    tag: command.tag,
    sandboxed: command.sandbox.active,
    group: running.group,
  };
}

interface RunEnd {
  readonly why: EndReason;
  readonly exit: { readonly exitCode: number | null; readonly signal: string | null };
  readonly leftBehind: boolean;
  /** Command lines of the processes that were left behind. */
  readonly leftovers: readonly string[];
  readonly warnings: readonly string[];
}

async function waitForEnd(
  running: Running,
  { command, limits, parts }: { command: PreparedCommand; limits: RunLimits; parts: RunDeps },
): Promise<RunEnd> {
  const tree = processTreeOf(command, running);
  const why = await Promise.race([running.exited.then((): EndReason => "exit"), limits.reached]);
  if (why !== "exit") {
    const stopping = stopTree(tree);
    parts.trackBackground(stopping.finally(() => running.group?.remove()));
    // Do not wait for a process that survives even SIGKILL.
    await settlesWithin(stopping, graceMs + killWaitMs);
    await drainsSoon(running);
    running.release();
    const exit = (await waitAtMost(running.exited, drainMs)) ?? unknownExit;
    return {
      why,
      exit: exitAfterStop(exit),
      leftBehind: false,
      leftovers: [],
      warnings: limitWarnings(running, command),
    };
  }
  // The counts are those of its control group, which is removed next.
  const warnings = limitWarnings(running, command);
  const { leftBehind, leftovers: left } = await drainAfterExit(running, tree, parts);
  const { code, signal } = await running.exited;
  return { why, exit: { exitCode: code, signal }, leftBehind, leftovers: left, warnings };
}

/** How long the answer waits for killed processes to disappear. */
export const killWaitMs = 1500;
