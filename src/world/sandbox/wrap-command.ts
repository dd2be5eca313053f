import { randomBytes } from "node:crypto";
import { lstat, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ToolValidationError } from "../../contract/errors.js";
import type { TreeLimits } from "../processes/watch-tree.js";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { beginRun, existingCarefulPaths, finishRun, hiddenPathsNote, withoutJudged } from "./begin-run.js";
import { findBlockedPaths } from "./blocked-paths.js";
import { carryVariables } from "./carry-variables.js";
import { gitMounts } from "./git-mounts.js";
import type { LayerPlace } from "./layer/layer-script.js";
import type { CommandLayer } from "./layer/layer-types.js";
import { openLayer } from "./layer/open-layer.js";
import { innerScript, outerScript } from "./limits.js";
import { openNetwork, type CommandNetwork } from "./network/open-network.js";
import { type MountPlan, planMounts } from "./mount-plan.js";
import {
  programHome,
  type FinishedCommand,
  type SandboxCommand,
  type WrappedCommand,
} from "./sandbox-types.js";
import { leftOutNote } from "./left-out-note.js";
import { viewFor, type SessionView } from "./sandbox-view.js";
import type { ActiveSandbox } from "./active-sandbox.js";
import { type BwrapArgument, bwrapArguments, hasNetwork } from "./bwrap-arguments.js";
import type { Guarded } from "./walk-guarded.js";

/** Work out what to start so that the command runs inside the sandbox. */
export async function wrapCommand(whole: ActiveSandbox, command: SandboxCommand): Promise<WrappedCommand> {
  checkCommand(command);
  const sandbox = command.contained === true ? withoutWritable(whole) : whole;
  const network = await openNetwork(sandbox, command);
  try {
    return await wrapInNetwork(sandbox, command, network);
  } catch (error) {
    network.end();
    throw error;
  }
}

/** The same sandbox, in which only the workspace can be written. */
function withoutWritable(sandbox: ActiveSandbox): ActiveSandbox {
  const { writable, readable } = sandbox.view;
  return { ...sandbox, view: { ...sandbox.view, writable: [], readable: [...readable, ...writable] } };
}

async function wrapInNetwork(
  sandbox: ActiveSandbox,
  command: SandboxCommand,
  network: CommandNetwork,
): Promise<WrappedCommand> {
  const view = await viewFor(sandbox.view, command.sessionId ?? "");
  const cwd = await resolveWorkingDirectory(view, command);
  const guarded = await sandbox.index.find(command.paths);
  const plan = await planFor(sandbox, command, guarded);
  const variables = carryVariables({ ...network.defaults, ...command.env, ...network.variables });
  const options = bwrapArguments({
    view,
    command,
    cwd,
    caches: await view.downloads.mounts(hasNetwork(command)),
    variables: variables.initial,
    mounts: plan.mounts,
    sharesNetwork: network.isShared,
    canLimitSize: sandbox.canLimitSize,
  });
  const leftoversFile = leftoversFileFor(sandbox, command);
  const { started, direct } = await openLayer(sandbox, command);
  const run = beginRun(sandbox, command, { guarded, plan, onLayer: started !== undefined });
  const mounted = new Set(plan.mounts.map(({ path }) => path));
  const changesWorkspace = !command.readOnly && started === undefined;
  if (changesWorkspace) sandbox.running.add(mounted);
  const script = { variables: variables.script, leftoversFile, layer: started?.place };
  const shell = ["/bin/sh", ...commandLine(sandbox, command, script)];
  const [file = "", ...args] = network.enter(started?.enter(shell) ?? shell);
  return {
    file,
    args,
    env: { PATH: "/usr/bin:/bin" },
    extraFds: [
      { fd: descriptors.options, data: joinArguments(options) },
      ...(sandbox.filter === undefined ? [] : [{ fd: descriptors.filter, data: sandbox.filter }]),
    ],
    notes: [
      ...network.problems,
      ...plan.notes,
      ...leftOutNote(guarded.consent, command.paths, sandbox.view.workspace),
    ],
    visible: [
      ...view.system.roots,
      "/bin",
      "/sbin",
      ...view.tools.programs,
      ...view.readable,
      ...view.writable,
    ],
    secrets: view.secretPaths,
    ...(started !== undefined && {
      layer: started.layer,
      wasMounted: () => started.wasMounted(),
      explain: (output) => started.explain(output),
    }),
    ...(direct !== undefined && { direct }),
    treeLimits: treeLimitsOf(sandbox, command, { view, layer: started?.layer }),
    processLimit: command.limits?.processes ?? sandbox.limits.processes,
    heldBack: () => run?.judged.held() ?? [],
    started: (tree) => network.started(tree),
    networkUse: () => network.use(),
    blockedPaths: (output) =>
      findBlockedPaths(output, { line: command.argv.join(" "), cwd, mounts: plan.mounts, view }),
    async finish() {
      network.end();
      if (changesWorkspace) sandbox.running.delete(mounted);
      started?.release();
      const left = leftoversFile === undefined ? { leftovers: [] } : await readLeftovers(leftoversFile);
      if (run === undefined) return { heldBack: [], warnings: [], ...left };
      const { heldBack, warnings } = await finishRun(run);
      return {
        heldBack,
        ...left,
        warnings: [...warnings, ...(await hiddenPathsNote(sandbox, command, guarded))],
      };
    },
  };
}

const descriptors = { options: 3, filter: 4 } as const;

/** The mounts that enforce the rules for the command. */
async function planFor(
  sandbox: ActiveSandbox,
  command: SandboxCommand,
  guarded: Guarded,
): Promise<MountPlan> {
  const { view, running, index } = sandbox;
  const background = command.background === true;
  const writable = command.readOnly ? [] : [view.workspace, ...view.writable];
  const visible = [view.workspace, ...view.writable, ...view.readable, ...view.tools.programs];
  const roots = visible.map((path) => ({ path, writable: writable.includes(path) }));
  // A running job that did not start with it mounted could replace it with a link to anywhere.
  const isStable = (path: string): boolean => [...running].every((kept) => kept.has(path));
  const gitDirs = command.readOnly ? [] : [...view.linkedGit, ...guarded.gitDirs.filter(isStable)];
  const isOpened = (path: string): boolean => index.isOpened(path);
  const git = await Promise.all(gitDirs.map((each) => gitMounts(each, { isOpened, background })));
  const fixed = background
    ? [...guarded.fixed, ...existingCarefulPaths(guarded)]
    : withoutJudged(sandbox, guarded);
  return planMounts({ guarded: { ...guarded, fixed }, git: git.flat(), roots, isStable });
}

function joinArguments(options: readonly BwrapArgument[]): Buffer {
  return Buffer.concat(options.flatMap((option) => [Buffer.from(option), separator]));
}

const separator = Buffer.alloc(1);

function checkCommand({ argv, cwd, env }: SandboxCommand): void {
  const texts = [...argv, cwd, ...Object.keys(env), ...Object.values(env)];
  if (argv.length > 0 && !texts.some((text) => text.includes("\0"))) return;
  throw new ToolValidationError("Invalid command: it needs a program, and must not contain NUL characters.", {
    code: "VALUE_INVALID",
  });
}

/** The working directory, by its path inside the sandbox. */
async function resolveWorkingDirectory(view: SessionView, { cwd, home }: SandboxCommand): Promise<string> {
  if (home !== undefined && cwd === programHome) return cwd;
  const real = realPathOf(cwd);
  const roots = [view.workspace, ...view.writable, ...view.readable, ...view.tools.programs];
  const isVisible = roots.some((root) => isWithin(real, root));
  // The /tmp of a command is not that of the host.
  const isTemporary = !isVisible && isWithin(cwd, "/tmp");
  if (!isVisible && !isTemporary) {
    throw new ToolValidationError(`The folder ${cwd} is not visible inside the sandbox.`, {
      code: "VALUE_INVALID",
      hint: "Start the command in the workspace, or add the folder to sandbox.readable.",
    });
  }
  const found = await lstat(isTemporary ? view.session.tmp + cwd.slice("/tmp".length) : real).catch(
    () => undefined,
  );
  if (found?.isDirectory() === true) return isTemporary ? cwd : real;
  throw new ToolValidationError(
    `The working directory ${cwd} ${found ? "is not a folder" : "does not exist"}.`,
    {
      code: "VALUE_INVALID",
    },
  );
}

function treeLimitsOf(
  { limits, group, layers }: ActiveSandbox,
  { limits: own, readOnly, home }: SandboxCommand,
  { view, layer }: { readonly view: SessionView; readonly layer: CommandLayer | undefined },
): TreeLimits {
  const { disk, processes } = { ...limits, ...own };
  const { tmp, caches } = view.session;
  const written = [...(layer === undefined ? [] : [layer.upper]), ...(home === undefined ? [] : [home])];
  const { dir: downloads } = view.downloads;
  const shared = readOnly
    ? []
    : [...(layer === undefined ? [view.workspace] : []), ...view.writable, downloads];
  const { maxBytes: bytes, maxEntries: entries } = layers.limits;
  return {
    ...(disk !== undefined && { disk: { bytes: disk, own: [tmp, caches, ...written], shared } }),
    ...(layer !== undefined && { layer: { upper: layer.upper, max: { bytes, entries } } }),
    // For root, only a control group can limit the number of processes.
    ...(view.isRoot && !group.limits.processes && processes !== undefined && { processes }),
  };
}

/** The file for command lines of remaining processes; not used with a pseudo-terminal or for a program of the configuration. */
function leftoversFileFor(
  { view }: ActiveSandbox,
  { readOnly, pty, home }: SandboxCommand,
): string | undefined {
  if (readOnly || pty === true || home !== undefined) return undefined;
  return join(view.scratch.dir, `left-${randomBytes(9).toString("hex")}`);
}

const maxLeftovers = 20;
/** A tick of USER_HZ, which is 100 for programs on Linux. */
const msPerTick = 10;
/** The first process inside and the shell that starts the command do not count as its own. */
const innerProcesses = 2;

async function readLeftovers(file: string): Promise<Pick<FinishedCommand, "leftovers" | "used">> {
  const text = await readFile(file, "utf8").catch(() => ""); // the command was never started
  await rm(file, { force: true });
  const [first = "", ...rest] = text.split("\n").map((line) => line.trim());
  const [, io, ticks] = /^used (\d+) (\d+)$/.exec(first) ?? [];
  const leftovers = (io === undefined ? [first, ...rest] : rest)
    .filter((line) => line !== "")
    .slice(0, maxLeftovers);
  if (io === undefined) return { leftovers };
  return { leftovers, used: { ioBytes: Number(io), cpuMs: Number(ticks) * msPerTick } };
}

interface ScriptParts {
  readonly variables: string;
  readonly leftoversFile: string | undefined;
  readonly layer: LayerPlace | undefined;
}

function commandLine(
  sandbox: ActiveSandbox,
  command: SandboxCommand,
  { variables, leftoversFile, layer }: ScriptParts,
): string[] {
  const { bwrap, filter, view } = sandbox;
  const limits = { ...sandbox.limits, ...command.limits };
  return [
    "-c",
    outerScript({ limits, leftoversFile, layer }),
    "tenon-sandbox",
    bwrap,
    "--args",
    String(descriptors.options),
    ...(filter === undefined ? [] : ["--seccomp", String(descriptors.filter)]),
    "--",
    "/bin/sh",
    "-c",
    innerScript({
      roots: view.checked,
      processes:
        view.isRoot || limits.processes === undefined ? undefined : limits.processes + innerProcesses,
      variables,
      listsLeftovers: leftoversFile !== undefined,
    }),
    "sh",
    ...command.argv,
  ];
}
