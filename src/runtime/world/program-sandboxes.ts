import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { ToolExecutionError } from "../../contract/errors.js";
import type { NetworkUse } from "../../contract/ports/processes.js";
import type { ConfinedProgram, ConfineProgram, SandboxAccess } from "../../contract/ports/upstream.js";
import type { CommandPaths } from "../../contract/session.js";
import type { Policy } from "../../policy/create-policy.js";
import { presetNames } from "../../contract/preset-names.js";
import { hostsOf, presetsOf, type NetworkArgument } from "../../tools/shell/network-argument.js";
import type { PresetRequest, PresetResolver } from "../../world/presets/resolve-presets.js";
import { workspaceKey } from "../../store/state-dir.js";
import { realPathOf } from "../../world/files/real-path.js";
import { isWithin } from "../../world/files/path-text.js";
import { throughGroup } from "../../world/sandbox/command-group.js";
import { runProgram } from "../../world/sandbox/run-program.js";
import { programHome, type Sandbox } from "../../world/sandbox/sandbox-types.js";
import type { RuntimeBase } from "../state/runtime-base.js";
import { watchRefusedPaths } from "./refused-paths.js";
import { observeProgram, type ProgramObserver, type TraceTarget } from "./observe-program.js";
import type { HostCaller } from "./network.js";
import { makeFolder } from "../../contract/make-folder.js";

/** An MCP server or a plugin that runs in the sandbox. */
export interface SandboxedProgram {
  readonly kind: "server" | "plugin";
  /** By which its own folder is found again. */
  readonly name: string;
  /** Files and folders with its code, besides what it was granted. @default none */
  readonly programs?: readonly string[] | undefined;
  /** Called with each place that it reaches or is refused. */
  readonly onNetwork?: ((use: NetworkUse) => void) | undefined;
  /** Told in a full sentence what it cannot use. */
  readonly onNote?: ((note: string) => void) | undefined;
}

/** Runs programs of the configuration in the sandbox. */
export interface ProgramSandboxes {
  confine(program: SandboxedProgram): ConfineProgram;
  /** Like `confine`, and writes down what the program tries to use. */
  observe(program: SandboxedProgram): ProgramObserver;
}

export interface ProgramSandboxOptions extends Pick<RuntimeBase, "workspace" | "stateDir" | "env"> {
  readonly sandbox: Sandbox;
  readonly policy: Policy;
  readonly judgeHost: (caller: HostCaller, host: string) => void;
  readonly presets: PresetResolver;
}

/** Programs get the rules of the policy as commands do, a network of their own and a folder that lasts. */
export function createProgramSandboxes(options: ProgramSandboxOptions): ProgramSandboxes {
  const { sandbox, workspace, stateDir } = options;
  let count = 0;
  const confine =
    (program: SandboxedProgram, observer?: TraceTarget): ConfineProgram =>
    async (spec) => {
      const state = await sandbox.ready();
      if (!state.active) throw noSandbox(state.reason);
      const home = join(stateDir, workspaceKey(realPathOf(workspace)), "programs", folderName(program));
      makeFolder(home, 0o700);
      const access = toFolders(spec.sandbox ?? {}, workspace);
      const folders = { ...access, programs: program.programs ?? [] };
      const sessionId = `${program.kind} ${program.name} ${(count += 1)}`;
      const [presets, sources] = await Promise.all([
        options.presets(presetRequest(spec, presetsOf(networkOf(spec.sandbox)), options)),
        options.presets(presetRequest(spec, launchedBy(spec), options)),
      ]);
      if (presets.unknown.length > 0)
        program.onNote?.(
          `The hosts of ${presets.unknown.join(", ")} are not configured; name them in "network".`,
        );
      const caller = { toolName: `${program.name}:*`, session: { agent: "default", id: sessionId } };
      const wrapped = await sandbox.wrapProgram(
        {
          argv: [spec.command, ...(spec.args ?? [])],
          cwd: await startFolder(spec.cwd, [...access.writable, ...access.readable, ...folders.programs]),
          // Temporary files of the host are not visible inside.
          env: { ...sources.variables, ...presets.variables, ...spec.env, HOME: programHome, TMPDIR: "/tmp" },
          readOnly: access.writable.length === 0,
          background: true,
          sessionId,
          home,
          network: {
            hosts: [...hostsOf(networkOf(spec.sandbox)), ...presets.hosts],
            isReported: true,
            judge: (host) => options.judgeHost(caller, host),
            onUse: program.onNetwork,
          },
          paths: await pathRules(options.policy, caller, access),
          origin: { callId: "", sessionId, changes: [] },
        },
        folders,
      );
      for (const note of wrapped.notes) program.onNote?.(note);
      const heard = watchRefusedPaths({
        command: `tenon ${program.kind === "server" ? "mcp-servers" : "plugins"} sandbox ${program.name}`,
        onNote: (note) => program.onNote?.(note),
        cwd: spec.cwd ?? "/",
        visible: wrapped.visible,
        writable: access.writable,
        secrets: wrapped.secrets,
        wide: [homedir(), workspace, stateDir],
      });
      const group = sandbox.openGroup();
      const launch = throughGroup(wrapped, group);
      return {
        ...(observer?.started(launch, { spec, wrapped, ...access }) ?? launch),
        env: wrapped.env,
        cwd: "/",
        fds: wrapped.extraFds,
        heard,
        started: (pid) => wrapped.started({ pid, tag: "", sandboxed: true, group }),
        async finish() {
          const { heldBack, warnings } = await wrapped.finish();
          for (const { path, reason } of heldBack)
            program.onNote?.(`Its change of ${path} was held back: ${reason}.`);
          for (const warning of warnings) program.onNote?.(warning);
          group?.remove();
          await sandbox.endSession(sessionId);
        },
      } satisfies ConfinedProgram;
    };
  return {
    confine: (program) => confine(program),
    observe: (program) => observeProgram(program, { ...options, confine }),
  };
}

/** What to tell about a host that a program was refused. */
export function refusalNote({ host, port, reason = "" }: NetworkUse, command: string): string {
  const place = port === undefined ? host : `${host}:${port}`;
  return `The sandbox refused it the host ${place}: ${reason}. To allow it: ${command} --network ${place}`;
}

function presetRequest(
  { env, cwd = "/" }: ProgramSpec,
  names: readonly string[],
  options: Pick<ProgramSandboxOptions, "sandbox" | "workspace" | "env">,
): PresetRequest {
  return {
    names: presetNames.filter((name) => names.includes(name)),
    cwd,
    env: new Map(Object.entries(env)),
    ask: (command) => askTool(command, options),
  };
}

const askMs = 10_000;

/** Ask a tool for its built-in hosts, in the sandbox, without network. */
async function askTool(
  command: string,
  { sandbox, workspace, env }: Pick<ProgramSandboxOptions, "sandbox" | "workspace" | "env">,
): Promise<string | undefined> {
  const { PATH = "/usr/bin:/bin", HOME = "/" } = env;
  const argv = ["/bin/sh", "-c", command];
  const asked = { argv, cwd: workspace, env: { PATH, HOME }, readOnly: true, contained: true };
  const wrapped = await sandbox.wrap(asked);
  try {
    const { code, stdout } = await runProgram({ ...wrapped, timeoutMs: askMs });
    return code === 0 ? stdout : undefined;
  } finally {
    await wrapped.finish();
  }
}

/** The tool that downloads the program, which must know where from: the user's own settings are hidden. */
function launchedBy({ command }: ProgramSpec): readonly string[] {
  const name = basename(command);
  if (["npx", "npm", "pnpm", "yarn", "bunx"].includes(name)) return ["npm"];
  return ["uvx", "uv", "pipx"].includes(name) ? ["pip"] : [];
}

function networkOf(access: SandboxAccess | undefined): NetworkArgument {
  const { network = false } = access ?? {};
  return typeof network === "boolean" ? network : [...network];
}

type ProgramSpec = Parameters<ConfineProgram>[0];

function toFolders(
  { readable = [], writable = [] }: SandboxAccess,
  workspace: string,
): { readonly readable: readonly string[]; readonly writable: readonly string[] } {
  const absolute = (paths: readonly string[]): string[] => paths.map((path) => resolve(workspace, path));
  return { readable: absolute(readable), writable: absolute(writable) };
}

/** The folder it was configured with if it can see it, else its own. */
async function startFolder(cwd: string | undefined, visible: readonly string[]): Promise<string> {
  if (cwd === undefined) return programHome;
  const real = realPathOf(cwd);
  return visible.some((path) => isWithin(real, realPathOf(path))) ? real : programHome;
}

/** What a rule asks about stays hidden, because nobody is asked while a program runs; a file that was granted by name is not. */
async function pathRules(
  policy: Policy,
  { toolName, session }: HostCaller,
  { readable, writable }: ReturnType<typeof toFolders>,
): Promise<CommandPaths | undefined> {
  const rulings = policy.commandPaths({
    toolName,
    category: "mcp",
    annotations: {},
    agent: session.agent,
    sessionId: session.id,
    reads: [],
    writes: [],
  });
  if (rulings === undefined) return undefined;
  const granted = [...readable, ...writable].map((path) => realPathOf(path));
  const kinds = await Promise.all(granted.map((path) => stat(path).catch(() => undefined)));
  return { ...rulings, named: granted.filter((_, at) => kinds[at]?.isFile() === true) };
}

/** Names are unique, but may be paths. */
function folderName({ kind, name }: SandboxedProgram): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(-40);
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${kind}-${plain}-${digest}`;
}

function noSandbox(reason: string): ToolExecutionError {
  return new ToolExecutionError(
    `its entry says that it runs in the sandbox, which is not available: ${reason}`,
    {
      code: "SANDBOX_UNAVAILABLE",
      hint: "Run `tenon doctor` to see how to get one, or remove `sandbox` from its entry to run it outside.",
    },
  );
}
