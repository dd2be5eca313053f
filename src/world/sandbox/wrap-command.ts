import { lstat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ToolExecutionError, ToolValidationError } from "../../contract/errors.js";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { carryVariables } from "./carry-variables.js";
import { gitMounts } from "./git-mounts.js";
import { inFolder } from "./in-folder.js";
import { innerScript, outerScript } from "./limits.js";
import type { SandboxCommand, WrappedCommand } from "./sandbox-types.js";
import type { Wall } from "./wall.js";
import { wallArguments } from "./wall-arguments.js";
import type { Guarded } from "./walk-guarded.js";

/** Say what must be started so that the command runs inside the wall. */
export async function wrapCommand(wall: Wall, command: SandboxCommand): Promise<WrappedCommand> {
  refuseMalformed(command);
  const cwd = await checkFolder(wall, command.cwd);
  const guarded = await wall.index.find();
  if (guarded.hidden.length > mostHidden) throw tooManyHidden(guarded.hidden.length);
  const kept = keptIn(wall, guarded);
  const isOpen = (path: string): boolean => wall.index.isOpened(path);
  const git = command.readOnly ? [] : await Promise.all(kept.gitDirs.map((each) => gitMounts(each, isOpen)));
  const variables = carryVariables(command.env);
  const options = wallArguments({
    view: wall.view,
    command,
    cwd,
    variables: variables.initial,
    git: git.flat(),
    fixed: kept.fixed,
    hidden: guarded.hidden,
    canBoundSize: wall.canBoundSize,
  });
  const before = command.readOnly ? undefined : await wall.index.findNear();
  const mounted = new Set([...kept.fixed.map(({ path }) => path), ...kept.gitDirs]);
  if (!command.readOnly) wall.running.add(mounted);
  return {
    file: "/bin/sh",
    args: commandLine(wall, command, variables.script),
    env: { PATH: "/usr/bin:/bin" },
    extraFds: [
      { fd: descriptors.options, data: Buffer.from(options.map((option) => `${option}\0`).join("")) },
      ...(wall.filter === undefined ? [] : [{ fd: descriptors.filter, data: wall.filter }]),
    ],
    async settle() {
      wall.running.delete(mounted);
      return { appeared: before === undefined ? [] : await settle(wall, before) };
    },
  };
}

/** Each mount costs a fifth of a millisecond, so those far down in a large tree are left out, nearest first. */
const mostFixed = 40;
const mostGitDirs = 6;
/** What is forbidden is never left out: beyond this no command runs. */
const mostHidden = 400;
const descriptors = { options: 3, filter: 4 } as const;

/** What a command could write without being meant to: not in folders that it can only read anyway. */
function keptIn({ view, running }: Wall, guarded: Guarded): Pick<Guarded, "fixed" | "gitDirs"> {
  const writable = [view.workspace, ...view.writable];
  const roots = [...writable, ...view.readable, ...view.tools.programs];
  const isWritable = (path: string): boolean => {
    // The innermost mount decides.
    const holding = roots.filter((root) => isWithin(path, root));
    const innermost = holding.toSorted((one, other) => other.length - one.length)[0];
    return innermost !== undefined && writable.includes(innermost);
  };
  // A job that runs and did not start with it mounted could swap it for a link to anywhere meanwhile.
  const isSteady = (path: string): boolean => [...running].every((kept) => kept.has(path));
  const isKept = (path: string): boolean => isWritable(path) && isSteady(path);
  return {
    fixed: guarded.fixed.filter(({ path }) => isKept(path)).slice(0, mostFixed),
    gitDirs: [...view.linkedGit, ...guarded.gitDirs.filter(isKept).slice(0, mostGitDirs)],
  };
}

function refuseMalformed({ argv, cwd, env }: SandboxCommand): void {
  const texts = [...argv, cwd, ...Object.keys(env), ...Object.values(env)];
  if (argv.length > 0 && !texts.some((text) => text.includes("\0"))) return;
  throw new ToolValidationError("A command needs a program, and no NUL character anywhere.", {
    code: "VALUE_INVALID",
  });
}

/** The folder to start in, as it is called inside. */
async function checkFolder({ view }: Wall, cwd: string): Promise<string> {
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
  const found = await lstat(isTemporary ? view.scratch.tmp + cwd.slice("/tmp".length) : real).catch(
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

function tooManyHidden(count: number): ToolExecutionError {
  return new ToolExecutionError(
    `${count} paths of the workspace are forbidden, too many to hide one by one.`,
    {
      code: "SANDBOX_UNAVAILABLE",
      hint: "Forbid the folders that they lie in.",
    },
  );
}

function commandLine(wall: Wall, command: SandboxCommand, variables: string): string[] {
  const { bwrap, filter, joins, view } = wall;
  const limits = { ...wall.limits, ...command.limits };
  return [
    "-c",
    outerScript(limits, joins.length),
    "tenon-sandbox",
    ...joins,
    bwrap,
    "--args",
    String(descriptors.options),
    ...(filter === undefined ? [] : ["--seccomp", String(descriptors.filter)]),
    "--",
    "/bin/sh",
    "-c",
    innerScript({ roots: view.checked, processes: view.isRoot ? undefined : limits.processes, variables }),
    "sh",
    ...command.argv,
  ];
}

/** What was made of the protected paths while they were free. What only an attack makes is removed. */
async function settle({ index, view }: Wall, before: Guarded): Promise<string[]> {
  const after = await index.findNear();
  const pathsOf = ({ fixed, gitDirs }: Guarded): string[] => [...fixed.map(({ path }) => path), ...gitDirs];
  const known = new Set(pathsOf(before));
  const appeared = pathsOf(after).filter((path) => !known.has(path));
  // Git would take its settings from wherever this file leads; git itself makes none in a main folder.
  for (const gitDir of [...before.gitDirs, ...view.linkedGit]) {
    await inFolder(gitDir, async (folder) => {
      await unlink(join(folder, "commondir"));
      appeared.push(join(gitDir, "commondir"));
    });
  }
  return appeared;
}
