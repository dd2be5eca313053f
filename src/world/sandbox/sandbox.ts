import { writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { SandboxState } from "../../contract/ports/processes.js";
import { ToolExecutionError } from "../../contract/errors.js";
import { realPathOf } from "../files/real-path.js";
import { openControlGroup, type ControlGroup } from "./control-group.js";
import { findProgram } from "./find-program.js";
import { createGuardIndex } from "./guard-index.js";
import { createHeldChanges, type HeldChanges } from "./quarantine/held-changes.js";
import { openRunJudge } from "./quarantine/open-run-judge.js";
import { createSurvey } from "./quarantine/survey.js";
import { explainFailure, installHint } from "./missing.js";
import { runProgram } from "./run-program.js";
import type { Sandbox } from "./sandbox-types.js";
import { openView } from "./sandbox-view.js";
import { createFilter, hasFilter } from "./seccomp/filter.js";
import type { SandboxOptions } from "./settings.js";
import { tellFacts } from "./tell-facts.js";
import { refuseWorkspace } from "./refuse-workspace.js";
import type { Wall } from "./wall.js";
import { emptyFile } from "./wall-arguments.js";
import { wrapCommand } from "./wrap-command.js";

/** Prepare a sandbox for one workspace; nothing is looked at before `ready`. */
export function createSandbox(options: SandboxOptions): Sandbox {
  let opening: Promise<Opened> | undefined;
  let opened: Opened | undefined;
  const quarantine = createHeldChanges({
    dir: options.quarantineDir,
    workspace: realPathOf(options.workspace),
    limits: options.settings.quarantine,
    now: options.now,
  });
  const open = async (): Promise<Opened> => {
    opening ??= openWithGroup(options, quarantine);
    opened = await opening;
    return opened;
  };
  return {
    required: options.settings.enabled === "required",
    state: () => opened?.state ?? notYet,
    ready: async () => (await open()).state,
    async wrap(command) {
      const { wall, state } = await open();
      if (wall === undefined) {
        throw new ToolExecutionError(`There is no sandbox for the command: ${state.reason}.`, {
          code: "SANDBOX_UNAVAILABLE",
          hint: "tenon doctor tells how to get it.",
        });
      }
      return wrapCommand(wall, command);
    },
    openGroup: () => opened?.group?.open(),
    async endSession(sessionId) {
      await opened?.wall?.view.scratch.endSession(sessionId);
    },
    leftovers: () => (opened?.wall === undefined ? [] : [opened.wall.view.scratch.dir]),
    groupDirs: () => opened?.group?.dirs ?? [],
    quarantine,
    accept: (paths) => opened?.wall?.runs.accept(paths),
    async facts() {
      const { wall, state } = await open();
      return tellFacts(wall, state);
    },
    async close() {
      if (opening === undefined) return;
      const { wall, group } = await opening;
      await Promise.all([group?.remove(), wall?.view.scratch.remove()]);
    },
  };
}

const notYet: SandboxState = { active: false, reason: "nobody has looked yet whether there can be one" };

interface Opened {
  readonly state: SandboxState;
  readonly wall?: Wall;
  readonly group?: ControlGroup;
}

/** Without a wall a group limits nothing, but it knows the processes of a command wherever they went. */
async function openWithGroup(options: SandboxOptions, held: HeldChanges): Promise<Opened> {
  const opened = await openWall(options, held);
  const isLinux = (options.platform ?? process.platform) === "linux";
  if (opened.wall !== undefined) return { ...opened, group: opened.wall.group };
  if (!isLinux) return opened;
  return { ...opened, group: await openControlGroup({ memory: undefined, processes: undefined }) };
}

async function openWall(options: SandboxOptions, held: HeldChanges): Promise<Opened> {
  const none = (reason: string): Opened => ({ state: { active: false, reason } });
  const platform = options.platform ?? process.platform;
  if (options.settings.enabled === "off")
    return none('switched off by "sandbox.enabled" in the configuration');
  if (platform !== "linux") return none(`none on ${platform}: the sandbox needs bubblewrap on Linux`);
  const refused = refuseWorkspace(realPathOf(options.workspace));
  if (refused !== undefined) return none(refused);
  const bwrap = findProgram("bwrap", { path: options.env["PATH"], untrusted: untrustedFolders(options) });
  if (bwrap === undefined) return none(`bubblewrap was not found; ${await installHint()}`);
  const version = await versionOf(bwrap);
  if (version === undefined || compare(version, oldest) < 0) {
    return none(`${bwrap} is too old or broken (${version ?? "no version"}); ${oldest} or later is needed`);
  }
  const wall = await build(options, held, { bwrap, version });
  try {
    const fault = await tryOut(wall);
    if (fault === undefined) {
      await wall.runs.recover();
      return { state: { active: true, reason: `bubblewrap ${version}` }, wall };
    }
    await takeDown(wall);
    return none(fault);
  } catch (error) {
    await takeDown(wall);
    throw error;
  }
}

/** `--clearenv` and `--perms` came with this one, `--size` with the next. */
const oldest = "0.5.0";
const boundsSize = "0.7.0";

function untrustedFolders({ workspace, allowedPaths, settings }: SandboxOptions): string[] {
  const folders = [workspace, ...allowedPaths, ...settings.writable];
  return [...new Set([...folders, ...folders.map((folder) => realPathOf(folder))])];
}

async function versionOf(bwrap: string): Promise<string | undefined> {
  const { stdout } = await runProgram({ file: bwrap, args: ["--version"], env: {}, timeoutMs: 5000 });
  return /(\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1];
}

function compare(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

async function build(
  options: SandboxOptions,
  held: HeldChanges,
  { bwrap, version }: Pick<Wall, "bwrap" | "version">,
): Promise<Wall> {
  const { settings, forbiddenPaths } = options;
  const hidden = [...forbiddenPaths, ...settings.hidden];
  const isRoot = process.getuid?.() === 0;
  const limits = { memory: Math.floor(totalmem() * 0.75), ...settings.limits };
  const [view, group] = await Promise.all([
    openView({
      ...options,
      path: options.env["PATH"],
      isRoot,
      profiles: settings.profiles,
      readable: settings.readable,
      writable: [...settings.writable, ...options.allowedPaths],
      hidden,
    }),
    // A limit of the kernel's own holds everybody but root to a number of processes.
    openControlGroup({
      memory: limits.memory,
      processes: isRoot && limits.processes !== undefined ? limits.processes + wallProcesses : undefined,
    }),
  ]);
  await writeFile(join(view.scratch.dir, emptyFile), "", { mode: 0o444 });
  const roots = [view.workspace, ...view.writable, ...view.readable];
  // Only whoever may open what is protected can name a place inside the workspace as writable.
  const opened = [...options.unprotectedPaths, ...settings.writable];
  const named = [...options.protectedPaths, ...options.carefulPaths];
  const rules = {
    roots,
    // They may come into being only later.
    hidden: [...hidden, options.stateDir, view.scratch.dir],
    fixed: options.protectedPaths,
    opened,
    survey: createSurvey({ roots, named, opened }),
  };
  const index = createGuardIndex(rules, options.monotonic);
  return {
    bwrap,
    version,
    canBoundSize: compare(version, boundsSize) >= 0,
    view,
    index,
    group,
    runs: openRunJudge({ held, dir: options.quarantineDir, view, index, now: options.now }),
    careful: new Set(options.carefulPaths),
    monotonic: options.monotonic,
    running: new Set(),
    filter: hasFilter(process.arch)
      ? createFilter({ arch: process.arch, unixSockets: settings.unixSockets })
      : undefined,
    limits,
  };
}

/**
 * The two processes of bubblewrap that hold a command and the shell before it are not the command's own; that
 * shell has one more beside it while it looks at the mounts.
 */
const wallProcesses = 4;

/** Build it and look from inside whether it holds; a reason where it does not. */
async function tryOut(wall: Wall): Promise<string | undefined> {
  const { workspace } = wall.view;
  // What the rules hide is each command's own affair: too much of it must not look like a missing sandbox.
  const wrapped = await wrapCommand(withoutRules(wall), {
    argv: ["/bin/cat", "/proc/self/status"],
    cwd: workspace,
    env: { PATH: "/usr/bin:/bin" },
    readOnly: true,
    network: false,
  });
  const { code, stdout, stderr } = await runProgram({ ...wrapped, timeoutMs: 10_000 });
  if (code !== 0) return explainFailure(stderr);
  const holds = (line: string): boolean => new RegExp(`^${line}$`, "m").test(stdout);
  if (!holds(String.raw`NoNewPrivs:\s+1`)) return "commands inside could still gain rights";
  if (!holds(String.raw`Cap(?:Eff):\s+0+`)) return "commands inside would keep capabilities";
  if (wall.filter !== undefined && !holds(String.raw`Seccomp:\s+2`))
    return "the filter of system calls is not active";
  return undefined;
}

function withoutRules(wall: Wall): Wall {
  return { ...wall, index: createGuardIndex({ roots: [], hidden: [], fixed: [], opened: [] }) };
}

async function takeDown({ group, view }: Wall): Promise<void> {
  await Promise.all([group.remove(), view.scratch.remove()]);
}
