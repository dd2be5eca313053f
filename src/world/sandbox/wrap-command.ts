import { randomBytes } from "node:crypto";
import { lstat, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ToolValidationError } from "../../contract/errors.js";
import type { TreeLimits } from "../processes/watch-tree.js";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { beginRun, carefulIn, finishRun, tellAppeared, withoutJudged } from "./begin-run.js";
import { carryVariables } from "./carry-variables.js";
import { gitMounts } from "./git-mounts.js";
import { innerScript, outerScript } from "./limits.js";
import { type MountPlan, planMounts } from "./mount-plan.js";
import type { SandboxCommand, WrappedCommand } from "./sandbox-types.js";
import { tellLeftOut } from "./tell-left-out.js";
import { viewFor, type SessionView } from "./sandbox-view.js";
import type { Wall } from "./wall.js";
import { type WallArgument, wallArguments } from "./wall-arguments.js";
import type { Guarded } from "./walk-guarded.js";

/** Say what must be started so that the command runs inside the wall. */
export async function wrapCommand(wall: Wall, command: SandboxCommand): Promise<WrappedCommand> {
  refuseMalformed(command);
  const view = await viewFor(wall.view, command.sessionId ?? "");
  const cwd = await checkFolder(view, command.cwd);
  const guarded = await wall.index.find(command.paths);
  const plan = await planFor(wall, command, guarded);
  const variables = carryVariables(command.env);
  const options = wallArguments({
    view,
    command,
    cwd,
    variables: variables.initial,
    mounts: plan.mounts,
    canBoundSize: wall.canBoundSize,
  });
  const leftoversFile = leftoversFileFor(wall, command);
  const run = command.readOnly ? undefined : beginRun(wall, command, { guarded, plan });
  const mounted = new Set(plan.mounts.map(({ path }) => path));
  if (!command.readOnly) wall.running.add(mounted);
  return {
    file: "/bin/sh",
    args: commandLine(wall, command, { variables: variables.script, leftoversFile }),
    env: { PATH: "/usr/bin:/bin" },
    extraFds: [
      { fd: descriptors.options, data: toArguments(options) },
      ...(wall.filter === undefined ? [] : [{ fd: descriptors.filter, data: wall.filter }]),
    ],
    notes: [...plan.notes, ...tellLeftOut(guarded.consent, command.paths, wall.view.workspace)],
    treeLimits: treeLimitsOf(wall, view, command),
    processLimit: command.limits?.processes ?? wall.limits.processes,
    heldBack: () => run?.judged.held() ?? [],
    async finish() {
      wall.running.delete(mounted);
      const leftovers = leftoversFile === undefined ? [] : await takeLines(leftoversFile);
      if (run === undefined) return { heldBack: [], warnings: [], leftovers };
      const { heldBack, warnings } = await finishRun(run);
      return {
        heldBack,
        leftovers,
        warnings: [...warnings, ...(await tellAppeared(wall, command, guarded))],
      };
    },
  };
}

const descriptors = { options: 3, filter: 4 } as const;

/** What must be mounted so that the command is held to the rules. */
async function planFor(wall: Wall, command: SandboxCommand, guarded: Guarded): Promise<MountPlan> {
  const { view, running, index } = wall;
  const background = command.background === true;
  const writable = command.readOnly ? [] : [view.workspace, ...view.writable];
  const visible = [view.workspace, ...view.writable, ...view.readable, ...view.tools.programs];
  const roots = visible.map((path) => ({ path, writable: writable.includes(path) }));
  // A job that runs and did not start with it mounted could swap it for a link to anywhere meanwhile.
  const isSteady = (path: string): boolean => [...running].every((kept) => kept.has(path));
  const gitDirs = command.readOnly ? [] : [...view.linkedGit, ...guarded.gitDirs.filter(isSteady)];
  const isOpened = (path: string): boolean => index.isOpened(path);
  const git = await Promise.all(gitDirs.map((each) => gitMounts(each, { isOpened, background })));
  const fixed = background ? [...guarded.fixed, ...carefulIn(guarded)] : withoutJudged(wall, guarded);
  return planMounts({ guarded: { ...guarded, fixed }, git: git.flat(), roots, isSteady });
}

function toArguments(options: readonly WallArgument[]): Buffer {
  return Buffer.concat(options.flatMap((option) => [Buffer.from(option), end]));
}

const end = Buffer.alloc(1);

function refuseMalformed({ argv, cwd, env }: SandboxCommand): void {
  const texts = [...argv, cwd, ...Object.keys(env), ...Object.values(env)];
  if (argv.length > 0 && !texts.some((text) => text.includes("\0"))) return;
  throw new ToolValidationError("A command needs a program, and no NUL character anywhere.", {
    code: "VALUE_INVALID",
  });
}

/** The folder to start in, as it is called inside. */
async function checkFolder(view: SessionView, cwd: string): Promise<string> {
  const real = realPathOf(cwd);
  const roots = [view.workspace, ...view.writable, ...view.readable];
  const isVisible = roots.some((root) => isWithin(real, root));
  // A command's /tmp is not the machine's.
  const isTemporary = !isVisible && isWithin(cwd, "/tmp");
  if (!isVisible && !isTemporary) {
    throw new ToolValidationError(`The folder ${cwd} cannot be seen inside the sandbox.`, {
      code: "VALUE_INVALID",
      hint: "Start the command in the workspace, or name the folder in sandbox.readable.",
    });
  }
  const found = await lstat(isTemporary ? view.session.tmp + cwd.slice("/tmp".length) : real).catch(
    () => undefined,
  );
  if (found?.isDirectory() === true) return isTemporary ? cwd : real;
  throw new ToolValidationError(
    `The folder ${cwd} to start in ${found ? "is no folder" : "does not exist"}.`,
    {
      code: "VALUE_INVALID",
    },
  );
}

function treeLimitsOf(
  { limits, group }: Wall,
  view: SessionView,
  { limits: own, readOnly }: SandboxCommand,
): TreeLimits {
  const { disk, processes } = { ...limits, ...own };
  const { tmp, caches } = view.session;
  const shared = readOnly ? [] : [view.workspace, ...view.writable];
  return {
    ...(disk !== undefined && { disk: { bytes: disk, own: [tmp, caches], shared } }),
    // Root is held to a number of processes by a control group or by nobody.
    ...(view.isRoot && !group.limits.processes && processes !== undefined && { processes }),
  };
}

/** Where the names of processes are written that the command leaves behind; a program on a terminal is run without. */
function leftoversFileFor({ view }: Wall, { readOnly, pty }: SandboxCommand): string | undefined {
  if (readOnly || pty === true) return undefined;
  return join(view.scratch.dir, `left-${randomBytes(9).toString("hex")}`);
}

const maxLeftovers = 20;
/** The first process inside and the shell before the command are not the command's own. */
const innerProcesses = 2;

async function takeLines(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => ""); // it was never started
  await rm(file, { force: true });
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").slice(0, maxLeftovers);
}

function commandLine(
  wall: Wall,
  command: SandboxCommand,
  { variables, leftoversFile }: { readonly variables: string; readonly leftoversFile: string | undefined },
): string[] {
  const { bwrap, filter, view } = wall;
  const limits = { ...wall.limits, ...command.limits };
  return [
    "-c",
    outerScript(limits, leftoversFile),
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
      listsLeft: leftoversFile !== undefined,
    }),
    "sh",
    ...command.argv,
  ];
}
