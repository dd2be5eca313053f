import { rm, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { SandboxState } from "../../contract/ports/processes.js";
import { ToolExecutionError } from "../../contract/errors.js";
import { realPathOf } from "../files/real-path.js";
import { createNetworkActivity } from "../forwarder/network-activity.js";
import { compileHosts } from "../http/host-rules.js";
import { openControlGroup, type ControlGroup } from "./control-group.js";
import { findProgram } from "./find-program.js";
import { createGuardIndex } from "./guard-index.js";
import { createHeldChanges, type HeldChanges } from "./quarantine/held-changes.js";
import { createLayers, type Layers } from "./layer/layers.js";
import { explainFailure, installHint } from "./missing.js";
import { runProgram } from "./run-program.js";
import type { Sandbox } from "./sandbox-types.js";
import { createRuleParts } from "./rule-parts.js";
import { openView } from "./sandbox-view.js";
import { openProgramSandbox } from "./program-sandbox.js";
import { createFilter, hasFilter } from "./seccomp/filter.js";
import type { SandboxOptions } from "./settings.js";
import { describeSandbox } from "./describe-sandbox.js";
import { refuseWorkspace } from "./refuse-workspace.js";
import type { ActiveSandbox } from "./active-sandbox.js";
import { openSessionNetworks } from "./network/session-networks.js";
import { emptyFile } from "./bwrap-arguments.js";
import { wrapCommand } from "./wrap-command.js";

/** Create the sandbox of a workspace; nothing is checked before `ready`. */
export function createSandbox(options: SandboxOptions): Sandbox {
  let opening: Promise<OpenedSandbox> | undefined;
  let opened: OpenedSandbox | undefined;
  /** By their folders, so that a program that starts again finds its own. */
  const programs = new Map<string, Promise<ActiveSandbox>>();
  const quarantine = createHeldChanges({
    dir: options.quarantineDir,
    workspace: realPathOf(options.workspace),
    limits: options.settings.quarantine,
    now: options.now,
  });
  const layers = createLayers({
    dir: options.layersDir,
    workspace: realPathOf(options.workspace),
    limits: options.settings.layers,
    isRoot: process.getuid?.() === 0,
    search: { path: options.env["PATH"], untrusted: untrustedFolders(options) },
    now: options.now,
  });
  const open = async (): Promise<OpenedSandbox> => {
    opening ??= openWithGroup(options, { held: quarantine, layers });
    opened = await opening;
    return opened;
  };
  const openOrRefuse = async (): Promise<ActiveSandbox> => {
    const { sandbox, state } = await open();
    if (sandbox !== undefined) return sandbox;
    throw new ToolExecutionError(
      `The command was not run because no sandbox is available: ${state.reason}.`,
      {
        code: "SANDBOX_UNAVAILABLE",
        hint: "Run `tenon doctor` to see how to get one.",
      },
    );
  };
  return {
    required: options.settings.enabled === "required",
    credentialHosts: options.settings.credentials.map((host) => host.toLowerCase()),
    state: () => opened?.state ?? notCheckedYet,
    ready: async () => (await open()).state,
    wrap: async (command) => wrapCommand(await openOrRefuse(), command),
    async wrapProgram(command, folders) {
      const sandbox = await openOrRefuse();
      const key = JSON.stringify(folders);
      const opening =
        programs.get(key) ??
        openProgramSandbox(sandbox, folders, (view) => createRuleParts(options, { held: quarantine, view }));
      programs.set(key, opening);
      opening.catch(() => programs.delete(key)); // the next start tries again
      return wrapCommand(await opening, command);
    },
    openGroup: () => opened?.group?.open(),
    async endSession(sessionId) {
      const sandbox = opened?.sandbox;
      await Promise.all([
        sandbox?.view.scratch.endSession(sessionId),
        sandbox?.networks.endSession(sessionId),
      ]);
    },
    leftovers: () => (opened?.sandbox === undefined ? [] : [opened.sandbox.view.scratch.dir]),
    connections: () => opened?.sandbox?.activity.list() ?? [],
    groupDirs: () => opened?.group?.dirs ?? [],
    quarantine,
    layers: layers.store,
    accept: (paths) => opened?.sandbox?.runs.accept(paths()),
    async facts() {
      const { sandbox, state } = await open();
      return describeSandbox(sandbox, state);
    },
    async close() {
      if (opening === undefined) return;
      // What could not be opened was released then, and the caller was told why.
      const { sandbox, group } = await opening.catch((): Partial<OpenedSandbox> => ({}));
      await layers.store.close();
      for (const program of programs.values()) {
        const { view } = await program.catch(() => ({ view: undefined }));
        if (view !== undefined) await rm(view.workspace, { recursive: true, force: true });
      }
      await (sandbox === undefined ? group?.remove() : releaseSandbox(sandbox));
    },
  };
}

const notCheckedYet: SandboxState = { active: false, reason: "it has not been checked yet" };

interface OpenedSandbox {
  readonly state: SandboxState;
  readonly sandbox?: ActiveSandbox;
  readonly group?: ControlGroup;
}

/** Without a sandbox a control group limits nothing, but it tracks all processes of a command. */
async function openWithGroup(options: SandboxOptions, stores: ChangeStores): Promise<OpenedSandbox> {
  const opened = await openActiveSandbox(options, stores);
  const isLinux = (options.platform ?? process.platform) === "linux";
  if (opened.sandbox !== undefined) return { ...opened, group: opened.sandbox.group };
  if (!isLinux) return opened;
  return { ...opened, group: await openControlGroup({ memory: undefined, processes: undefined }) };
}

/** What commands changed and what is not in the workspace yet. */
interface ChangeStores {
  readonly held: HeldChanges;
  readonly layers: Layers;
}

async function openActiveSandbox(options: SandboxOptions, stores: ChangeStores): Promise<OpenedSandbox> {
  const inactive = (reason: string): OpenedSandbox => ({ state: { active: false, reason } });
  const platform = options.platform ?? process.platform;
  if (options.settings.enabled === "off")
    return inactive('turned off by "sandbox.enabled" in the configuration');
  if (platform !== "linux")
    return inactive(`not supported on ${platform}: the sandbox requires bubblewrap on Linux`);
  const refused = refuseWorkspace(realPathOf(options.workspace));
  if (refused !== undefined) return inactive(refused);
  const bwrap = findProgram("bwrap", { path: options.env["PATH"], untrusted: untrustedFolders(options) });
  if (bwrap === undefined) return inactive(`bubblewrap not found; ${await installHint()}`);
  const version = await versionOf(bwrap);
  if (version === undefined || compareVersions(version, minVersion) < 0) {
    return inactive(
      `${bwrap} is too old or broken (${version ?? "no version"}); ${minVersion} or later is required`,
    );
  }
  const sandbox = await buildSandbox(options, stores, { bwrap, version });
  try {
    const fault = await testSandbox(sandbox);
    if (fault === undefined) {
      await sandbox.runs.recover();
      await stores.layers.store.recover();
      return { state: { active: true, reason: `bubblewrap ${version}` }, sandbox };
    }
    await releaseSandbox(sandbox);
    return inactive(fault);
  } catch (error) {
    await releaseSandbox(sandbox);
    throw error;
  }
}

/** `--clearenv` and `--perms` require this version, `--size` the next one. */
const minVersion = "0.5.0";
const sizeOptionVersion = "0.7.0";

function untrustedFolders({ workspace, allowedPaths, settings }: SandboxOptions): string[] {
  const folders = [workspace, ...allowedPaths, ...settings.writable];
  return [...new Set([...folders, ...folders.map((folder) => realPathOf(folder))])];
}

async function versionOf(bwrap: string): Promise<string | undefined> {
  const { stdout } = await runProgram({ file: bwrap, args: ["--version"], env: {}, timeoutMs: 5000 });
  return /(\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1];
}

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

async function buildSandbox(
  options: SandboxOptions,
  { held, layers }: ChangeStores,
  { bwrap, version }: Pick<ActiveSandbox, "bwrap" | "version">,
): Promise<ActiveSandbox> {
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
      cacheLimits: settings.caches,
      readable: settings.readable,
      writable: [...settings.writable, ...options.allowedPaths],
      hidden,
    }),
    // For users other than root, a kernel limit (RLIMIT_NPROC) applies to the number of processes.
    openControlGroup({
      memory: limits.memory,
      processes: isRoot && limits.processes !== undefined ? limits.processes + bwrapProcesses : undefined,
    }),
  ]);
  await writeFile(join(view.scratch.dir, emptyFile), "", { mode: 0o444 });
  return {
    bwrap,
    version,
    canLimitSize: compareVersions(version, sizeOptionVersion) >= 0,
    view,
    ...createRuleParts(options, { held, view }),
    group,
    layers,
    careful: new Set(options.carefulPaths),
    monotonic: options.monotonic,
    running: new Set(),
    filter: hasFilter(process.arch)
      ? createFilter({ arch: process.arch, unixSockets: settings.unixSockets })
      : undefined,
    limits,
    credentials: new Set(settings.credentials.map((host) => host.toLowerCase())),
    activity: createNetworkActivity(options.now),
    networks: openSessionNetworks({
      bwrap,
      isRoot,
      egress: options.egress ?? { hosts: compileHosts([]), allowPrivate: false },
      search: { path: options.env["PATH"], untrusted: untrustedFolders(options) },
    }),
  };
}

/**
 * The two processes of bubblewrap and the shell that starts the command do not count as the command's own; that shell
 * has one more child while it checks the mounts.
 */
const bwrapProcesses = 4;

/** Run a command inside to check that the sandbox works; returns the reason if it does not. */
async function testSandbox(sandbox: ActiveSandbox): Promise<string | undefined> {
  const { workspace } = sandbox.view;
  // Checked without path rules: too many hidden paths must not look like a missing sandbox.
  const wrapped = await wrapCommand(withoutRules(sandbox), {
    argv: ["/bin/cat", "/proc/self/status"],
    cwd: workspace,
    env: { PATH: "/usr/bin:/bin" },
    readOnly: true,
  });
  const { code, stdout, stderr } = await runProgram({ ...wrapped, timeoutMs: 10_000 });
  if (code !== 0) return explainFailure(stderr);
  const holds = (line: string): boolean => new RegExp(`^${line}$`, "m").test(stdout);
  if (!holds(String.raw`NoNewPrivs:\s+1`)) return "commands inside could still gain privileges";
  if (!holds(String.raw`Cap(?:Eff):\s+0+`)) return "commands inside would keep capabilities";
  if (sandbox.filter !== undefined && !holds(String.raw`Seccomp:\s+2`))
    return "the system call filter is not active";
  return undefined;
}

function withoutRules(sandbox: ActiveSandbox): ActiveSandbox {
  const none = { workspace: sandbox.view.workspace, roots: [], hidden: [], fixed: [], opened: [] };
  return { ...sandbox, index: createGuardIndex(none) };
}

async function releaseSandbox({ group, view, networks }: ActiveSandbox): Promise<void> {
  await Promise.all([group.remove(), view.scratch.remove(), networks.close()]);
}
