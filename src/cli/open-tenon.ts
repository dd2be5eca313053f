import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { loadConfig, type LoadedConfig } from "../config/load-config.js";
import { createTenon } from "../runtime/create-tenon.js";
import { openTrustStore } from "../runtime/state/open-trust.js";
import type { Session } from "../runtime/sessions/session.js";
import type { Tenon } from "../runtime/tenon.js";
import { localActor, reportAuditFaults } from "./audit-faults.js";
import { InterruptedError, UsageError, type CommonFlags, type Terminal } from "./command-line.js";
import { createTerminalBackend } from "./terminal-backend.js";
import { toFileProblem } from "../contract/file-problem.js";
import { personLog } from "./log-line.js";
import { withSettings } from "./settings-flag.js";
import { warn } from "./output.js";
import { tenantOwnership } from "../store/ownership.js";
import type { TenonOptions } from "../runtime/tenon-options.js";
import { nativeProviders, type NativeProvider } from "../tools/native/providers.js";

export interface OpenTenon {
  readonly tenon: Tenon;
  readonly session: Session;
  readonly loaded: LoadedConfig;
  readonly terminal: Terminal;
  readonly flags: CommonFlags;
}

type RunCommand = (open: OpenTenon) => Promise<void>;

/** Load the configuration, run a command with a Tenon and close it afterwards. */
export function withTenon(terminal: Terminal, flags: CommonFlags, run: RunCommand): Promise<void> {
  // This process ends with its command.
  return runWith({ terminal, flags, jobs: false }, run);
}

/** The same for a command that makes many calls: background jobs live as long as it does. */
export function withJobs(terminal: Terminal, flags: CommonFlags, run: RunCommand): Promise<void> {
  return runWith({ terminal, flags, jobs: true }, run);
}

/** The same for users and their tokens; where a fleet is configured, with those that all its fronts share. */
export function withTeam(terminal: Terminal, flags: CommonFlags, run: RunCommand): Promise<void> {
  return runWith({ terminal, flags, jobs: false, ofTenant: true }, run);
}

interface RunOptions {
  readonly terminal: Terminal;
  readonly flags: CommonFlags;
  readonly jobs: boolean;
  /** Whether it works on what the fronts of a fleet share. */
  readonly ofTenant?: boolean;
}

async function runWith(
  { terminal, flags, jobs, ofTenant = false }: RunOptions,
  run: RunCommand,
): Promise<void> {
  const loaded = await loadFor(terminal, flags);
  const { fleet } = loaded.config;
  const isInFleet = ofTenant && fleet.nats !== undefined;
  if (flags.json !== true) for (const warning of loaded.warnings) warn(terminal, warning);
  const tenon = startTenon(terminal, loaded, {
    interact: createTerminalBackend(terminal),
    actor: localActor("cli"),
    jobs,
    ...(isInFleet && { ownership: tenantOwnership(fleet.tenant) }),
  });
  try {
    const session = await tenon.openNamedSession(flags.session ?? "cli");
    const work = run({ tenon, session, loaded, terminal, flags });
    await (jobs ? work : untilInterrupted(terminal.interrupted, work));
  } finally {
    await tenon.close();
  }
}

const graceMs = 1000;

/** After Ctrl-C a command has a second to end by itself, with an answer of its own. */
export async function untilInterrupted(interrupted: AbortSignal, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => {};
  const late = new Promise<never>((_, reject) => {
    onAbort = () => void (timer = setTimeout(() => reject(new InterruptedError()), graceMs));
    if (interrupted.aborted) onAbort();
    else interrupted.addEventListener("abort", onAbort, { once: true });
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    interrupted.removeEventListener("abort", onAbort);
  }
}

/** Create a Tenon that writes its log and its faults to standard error. */
export function startTenon(terminal: Terminal, loaded: LoadedConfig, options: TenonOptions = {}): Tenon {
  // `logging` in the configuration says where lines go; without it they are for the person here.
  const log = loaded.config.logging === undefined ? { log: personLog(terminal) } : {};
  const tenon = createTenon({ loaded, env: terminal.env, home: homedir(), ...log, ...options });
  reportAuditFaults(tenon, terminal);
  return tenon;
}

/** The configuration of the flags, the environment and the files together. */
export async function loadFor(
  terminal: Terminal,
  flags: CommonFlags,
  { trusting = false }: { readonly trusting?: boolean } = {},
): Promise<LoadedConfig> {
  const { env, cwd } = terminal;
  const home = homedir();
  if (flags.workspace !== undefined) checkWorkspace(resolve(cwd, flags.workspace));
  const trust = openTrustStore({ env, home });
  const known = new Set((await trust.list()).map(({ workspace, digest }) => `${digest} ${workspace}`));
  const loading = loadConfig({
    workspace: flags.workspace ?? cwd,
    ...(flags.config !== undefined && { configFile: flags.config }),
    env,
    home,
    cwd,
    flags: withSettings(
      {
        ...(flags.workspace !== undefined && { workspaceDir: flags.workspace }),
        ...(flags.mode !== undefined && { mode: flags.mode }),
        ...(flags.toolset !== undefined && { toolset: flags.toolset }),
        ...toolFlags(flags),
        ...fleetFlags(flags),
      },
      flags.set ?? [],
    ),
    trusted: (workspace, digest) => trusting || known.has(`${digest} ${workspace}`),
  });
  return loading.catch((error: unknown) => {
    // A folder that cannot be read is the fault, not the configuration that might be in it.
    if (flags.workspace === undefined) checkWorkspace(cwd);
    throw error;
  });
}

/** Refuse a workspace that cannot be one, before anything is made for it. */
export function checkWorkspace(folder: string): void {
  const problem = problemWith(folder);
  if (problem !== undefined) throw new WorkspaceError(folder, problem);
}

/** The workspace is not a folder that can be used. */
export class WorkspaceError extends UsageError {
  readonly folder: string;

  constructor(folder: string, problem: string) {
    super(`Cannot use ${folder} as the workspace: ${problem}.`);
    this.folder = folder;
  }
}

function problemWith(folder: string): string | undefined {
  try {
    if (!statSync(folder).isDirectory()) return "it is not a folder";
    accessSync(folder, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return toFileProblem(error);
  }
}

/** The flags that are settings below `tools`. */
function toolFlags({ listing, native }: CommonFlags) {
  if (listing === undefined && native === undefined) return {};
  return {
    tools: {
      ...(listing !== undefined && { listing: listing as "all" }),
      ...(native !== undefined && { native: toProviders(native) }),
    },
  };
}

/** The flags that are settings below `fleet`. */
function fleetFlags({ fleet, tenant, label }: CommonFlags) {
  if (fleet === undefined && tenant === undefined && label === undefined) return {};
  return {
    fleet: {
      ...(typeof fleet === "string" && { nats: fleet }),
      ...(tenant !== undefined && { tenant }),
      ...(label !== undefined && { labels: [...label] }),
    },
  };
}

/** `--native` alone means all providers. */
function toProviders(native: string | true): NativeProvider[] {
  if (native === true) return [...nativeProviders];
  return native.split(",").map((each) => {
    const provider = nativeProviders.find((name) => name === each.trim());
    if (provider !== undefined) return provider;
    throw new UsageError(`Unknown provider "${each}" for --native. Use ${nativeProviders.join(" or ")}.`);
  });
}
