import { lstat } from "node:fs/promises";
import { ToolValidationError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import type { TreeLimits } from "../processes/watch-tree.js";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { beginRun, finishRun, hiddenPathsNote } from "./begin-run.js";
import { findBlockedPaths } from "./blocked-paths.js";
import { carryVariables } from "./carry-variables.js";
import type { LayerPlace } from "./layer/layer-script.js";
import type { CommandLayer } from "./layer/layer-types.js";
import { type LayerChoice, openLayer } from "./layer/open-layer.js";
import { innerScript, outerScript } from "./limits.js";
import { planForCommand } from "./plan-for-command.js";
import { openNetwork, type CommandNetwork } from "./network/open-network.js";
import { programHome, type SandboxCommand, type WrappedCommand } from "./sandbox-types.js";
import { lendCredentials, type LentView } from "./lend-credentials.js";
import { runProgram } from "./run-program.js";
import { leftoversFileFor, readLeftovers } from "./leftovers.js";
import { leftOutNote } from "./left-out-note.js";
import { viewFor, type SessionView } from "./sandbox-view.js";
import type { ActiveSandbox } from "./active-sandbox.js";
import { type BwrapArgument, bwrapArguments, hasNetwork } from "./bwrap-arguments.js";

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
  const session = await viewFor(sandbox.view, command.sessionId ?? "");
  const lent = await lendCredentials(sandbox, session, command);
  try {
    return await wrapInView(sandbox, command, { network, lent });
  } catch (error) {
    await lent.end();
    throw error;
  }
}

async function wrapInView(
  sandbox: ActiveSandbox,
  command: SandboxCommand,
  { network, lent }: { readonly network: CommandNetwork; readonly lent: LentView },
): Promise<WrappedCommand> {
  const choice = await openLayer(sandbox, command);
  try {
    return await wrapOnLayer(sandbox, command, { network, lent, choice });
  } catch (error) {
    await choice.started?.layer.discard();
    throw error;
  }
}

interface OpenParts {
  readonly network: CommandNetwork;
  readonly lent: LentView;
  readonly choice: LayerChoice;
}

async function wrapOnLayer(
  sandbox: ActiveSandbox,
  command: SandboxCommand,
  { network, lent, choice: { started, direct, succeeded } }: OpenParts,
): Promise<WrappedCommand> {
  const { view } = lent;
  const cwd = await resolveWorkingDirectory(view, command);
  const guarded = await sandbox.index.find(command.paths);
  const plan = await planForCommand(sandbox, command, { guarded, onLayer: started !== undefined });
  const caches = await view.downloads.open(hasNetwork(command));
  const defaults = { ...network.defaults, ...caches.variables };
  const variables = carryVariables({ ...defaults, ...command.env, ...network.variables });
  const options = bwrapArguments({
    view,
    command,
    cwd,
    caches: caches.mounts,
    variables: variables.initial,
    mounts: plan.mounts,
    sharesNetwork: network.isShared,
    canLimitSize: sandbox.canLimitSize,
  });
  const leftoversFile = leftoversFileFor(sandbox, command);
  const run = beginRun(sandbox, command, { guarded, plan, onLayer: started !== undefined });
  const mounted = new Set(plan.mounts.map(({ path }) => path));
  const changesWorkspace = !command.readOnly && started === undefined;
  if (changesWorkspace) sandbox.running.add(mounted);
  const endCaches = view.downloads.begin();
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
      explain: (output, succeeded) => started.explain(output, succeeded),
    }),
    ...(direct !== undefined && { direct, succeeded }),
    treeLimits: treeLimitsOf(sandbox, command, { view, layer: started?.layer }),
    processLimit: command.limits?.processes ?? sandbox.limits.processes,
    heldBack: () => run?.judged.held() ?? [],
    started(tree) {
      network.started(tree);
      started?.running();
    },
    networkUse: () => network.use(),
    blockedPaths: (output) => findBlockedPaths(output, { command, cwd, mounts: plan.mounts, view }),
    async finish() {
      network.end();
      const { problems, attempt } = collectProblems();
      await attempt(() => lent.end());
      if (changesWorkspace) sandbox.running.delete(mounted);
      started?.release();
      const runIn = (argv: readonly string[]): Promise<void> => runInside(sandbox, argv, command);
      await attempt(() => endCaches({ hadNetwork: hasNetwork(command), run: runIn }));
      const readLeft = () => (leftoversFile === undefined ? undefined : readLeftovers(leftoversFile));
      const left = (await attempt(readLeft)) ?? { leftovers: [] };
      if (run === undefined) return { heldBack: [], warnings: problems, ...left };
      const { heldBack, warnings } = await finishRun(run);
      const hidden = (await attempt(() => hiddenPathsNote(sandbox, command, guarded))) ?? [];
      return { heldBack, ...left, warnings: [...warnings, ...hidden, ...problems] };
    },
  };
}

/** What fails after a command has ended becomes a warning: its output must not be lost. */
function collectProblems() {
  const problems: string[] = [];
  const attempt = async <Result>(work: () => Result | Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work();
    } catch (error) {
      problems.push(`Cleaning up after the command failed: ${messageOf(error)}.`);
      return undefined;
    }
  };
  return { problems, attempt };
}

/** Run a program of Tenon's own in place of the command, without network; what it prints is not of interest. */
async function runInside(
  sandbox: ActiveSandbox,
  argv: readonly string[],
  { env }: SandboxCommand,
): Promise<void> {
  const { PATH = "/usr/bin:/bin", HOME = "/" } = env;
  const { workspace } = sandbox.view;
  const command = { argv, cwd: workspace, env: { PATH, HOME }, readOnly: true, contained: true };
  const wrapped = await wrapCommand(sandbox, command);
  try {
    await runProgram({ ...wrapped, timeoutMs: insideTimeoutMs });
  } finally {
    await wrapped.finish();
  }
}

const insideTimeoutMs = 30_000;

const descriptors = { options: 3, filter: 4 } as const;

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

/** The first process inside and the shell that starts the command do not count as its own. */
const innerProcesses = 2;

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
