import { ToolExecutionError, ToolValidationError } from "../../contract/errors.js";
import type {
  BlockedPath,
  CommandRequest,
  NetworkUse,
  SandboxState,
  ShellInfo,
} from "../../contract/ports/processes.js";
import type { HeldBack } from "../../contract/ports/quarantine.js";
import type { CommandPaths } from "../../contract/session.js";
import type { CommandLayer } from "../sandbox/layer/layer-types.js";
import type { RunOrigin } from "../sandbox/quarantine/judge-runs.js";
import type { FinishedCommand, Sandbox, WrappedCommand } from "../sandbox/sandbox-types.js";
import { commandEnv } from "./command-env.js";
import type { Launch } from "./launch.js";
import type { ProcessTree } from "./process-table.js";
import { shellArguments } from "./shell.js";
import type { TreeLimits } from "./watch-tree.js";

/** What preparing a command needs. */
export interface CommandDeps {
  readonly shell: () => Promise<ShellInfo>;
  readonly sandbox: Sandbox;
  /** The real absolute path of a folder that commands may start in; throws for any other folder. */
  readonly resolveFolder: (cwd: string | undefined) => string;
  readonly sessionId: string;
  readonly sessionEnv: () => ReadonlyMap<string, string>;
  /** Whether a variable of the session may be seen by commands. */
  readonly isVisible: (name: string) => boolean;
  /** What the policy's rules about paths mean for the call's commands. */
  readonly paths?: (() => CommandPaths | undefined) | undefined;
  /** Throws if a rule denies the call a host. */
  readonly judgeHost?: ((host: string) => void) | undefined;
  /** A new value for the TENON_CALL variable by which the processes of a command are found. */
  readonly newTagValue: () => string;
  /** The value of TENON_RUN for everything that this Tenon starts. */
  readonly runTagValue: string;
  /** The call and session that changes are attributed to. */
  readonly origin: () => RunOrigin;
  /** Whether the command outlives its call. */
  readonly background?: boolean | undefined;
  /** Whether changes are collected in a layer: `true`, or why not. Without it, nobody would commit a layer. */
  readonly useLayer?: true | string | undefined;
  /** Nothing may leave the layer; see `SandboxCommand`. */
  readonly contained?: boolean | undefined;
  readonly now: () => number;
}

/** A command that is ready to be started. */
export interface PreparedCommand {
  readonly launch: Launch;
  readonly sandbox: SandboxState;
  readonly shell: ShellInfo;
  /** `NAME=value` that its processes carry. */
  readonly tag: string;
  /** Limits that are checked from outside while it runs. */
  readonly treeLimits: TreeLimits;
  /** Its limit on processes, for messages. */
  readonly processLimit: number | undefined;
  /** Must be called when it has ended or could not be started: judges what it changed. */
  readonly finish: () => Promise<FinishedCommand>;
  /** The changes that were held back so far. */
  readonly heldBack: () => readonly HeldBack[];
  /** The layer with its changes, if it runs on one. */
  readonly layer?: CommandLayer | undefined;
  /** Whether the layer could be mounted; otherwise nothing was run. */
  readonly wasMounted?: (() => boolean) | undefined;
  readonly explain?: WrappedCommand["explain"];
  /** Why it runs directly on the workspace. */
  readonly direct?: string | undefined;
  /** Must be called if it ended by itself, without an error. */
  readonly succeeded: () => void;
  /** The paths in its messages that the sandbox kept from it. */
  readonly blockedPaths: (output: string) => readonly BlockedPath[];
  /** What it reached over the network so far. */
  readonly networkUse: () => readonly NetworkUse[];
  /** Must be called with its processes when it was started. */
  readonly started: (tree: ProcessTree) => void;
}

/** The system accepts about 2 MB for arguments and environment together. */
const maxCommandChars = 400_000;
const maxValueBytes = 100_000;
const maxEnvBytes = 500_000;

/** Check a request and work out the program, arguments and environment to start. */
export async function prepareCommand(deps: CommandDeps, request: CommandRequest): Promise<PreparedCommand> {
  checkCommandLine(request.command);
  checkVariables(request.env ?? {});
  const cwd = deps.resolveFolder(request.cwd);
  const [shell, sandbox] = await Promise.all([deps.shell(), deps.sandbox.ready()]);
  const tagValue = deps.newTagValue();
  const env = commandEnv({
    session: deps.sessionEnv(),
    callVariables: request.env,
    isVisible: deps.isVisible,
    tags: { TENON_CALL: tagValue, TENON_RUN: deps.runTagValue },
    pty: request.pty === true,
    isSandboxed: sandbox.active,
  });
  const argv = [shell.path, ...shellArguments(shell, request.command)];
  const common = { sandbox, shell, tag: `TENON_CALL=${tagValue}` };
  if (!sandbox.active) {
    if (deps.sandbox.required) throw sandboxUnavailable(sandbox);
    const launch = { file: shell.path, args: argv.slice(1), cwd, env };
    return {
      ...common,
      launch,
      ...(deps.useLayer !== undefined && { direct: `there is no sandbox (${sandbox.reason})` }),
      treeLimits: {},
      processLimit: undefined,
      finish: async () => ({ warnings: [], leftovers: [], heldBack: [] }),
      heldBack: () => [],
      networkUse: () => [],
      blockedPaths: () => [],
      started() {},
      succeeded() {},
    };
  }
  const origin = deps.origin();
  const wrapped = await deps.sandbox.wrap({
    argv,
    cwd,
    env,
    readOnly: request.readOnly,
    network: { hosts: request.network ?? [], judge: deps.judgeHost, onUse: request.onNetwork },
    pty: request.pty === true,
    sessionId: deps.sessionId,
    paths: deps.paths?.(),
    background: deps.background === true,
    contained: deps.contained === true,
    origin,
    ...(deps.useLayer === true && {
      layer: { ...origin, command: request.command, startedAt: deps.now() },
      renames: request.renames,
    }),
  });
  // The process that builds the sandbox is tagged, too, so that it can always be found.
  const launch = {
    file: wrapped.file,
    args: wrapped.args,
    cwd,
    env: { ...wrapped.env, TENON_RUN: deps.runTagValue },
    fds: wrapped.extraFds,
  };
  return {
    ...common,
    launch,
    layer: wrapped.layer,
    wasMounted: wrapped.wasMounted,
    explain: wrapped.explain,
    succeeded: () => wrapped.succeeded?.(),
    direct: typeof deps.useLayer === "string" ? deps.useLayer : wrapped.direct,
    treeLimits: wrapped.treeLimits,
    processLimit: wrapped.processLimit,
    heldBack: () => wrapped.heldBack(),
    networkUse: () => wrapped.networkUse(),
    blockedPaths: (output) => wrapped.blockedPaths(output),
    started: (tree) => wrapped.started(tree),
    finish: () => finishWrapped(wrapped),
  };
}

async function finishWrapped(wrapped: WrappedCommand): Promise<FinishedCommand> {
  const finished = await wrapped.finish();
  return { ...finished, warnings: [...wrapped.notes, ...finished.warnings] };
}

function sandboxUnavailable({ reason }: SandboxState): ToolExecutionError {
  return new ToolExecutionError(`The command was not run because no sandbox is available: ${reason}.`, {
    code: "SANDBOX_UNAVAILABLE",
    hint: "Run `tenon doctor` to see how to get one. The setting sandbox.enabled decides whether commands may run without it.",
  });
}

function checkCommandLine(command: string): void {
  if (command.includes("\0"))
    throw invalidValue("The command contains a NUL character.", "Remove the NUL character.");
  if (command.length > maxCommandChars) {
    throw invalidValue(
      `The command has ${command.length} characters; the limit is ${maxCommandChars}.`,
      "Write the script to a file and run that file.",
    );
  }
}

function checkVariables(env: Readonly<Record<string, string>>): void {
  let total = 0;
  for (const [name, value] of Object.entries(env)) {
    const bytes = Buffer.byteLength(value);
    total += name.length + bytes;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes("\0")) {
      throw invalidValue(
        `The environment variable "${name.slice(0, 64)}" cannot be set.`,
        "Names consist of letters, digits and _; values must not contain NUL.",
      );
    }
    if (bytes > maxValueBytes || total > maxEnvBytes) {
      throw invalidValue(
        `The environment variable "${name}" is too long (${bytes} bytes).`,
        `A value may have ${maxValueBytes} bytes, all variables together ${maxEnvBytes}. Pass large data in a file.`,
      );
    }
  }
}

function invalidValue(message: string, hint: string): ToolValidationError {
  return new ToolValidationError(message, { code: "VALUE_INVALID", hint });
}
