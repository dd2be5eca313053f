import { ToolExecutionError, ToolValidationError } from "../../contract/errors.js";
import type { CommandRequest, SandboxState, ShellInfo } from "../../contract/ports/processes.js";
import type { HeldBack } from "../../contract/ports/quarantine.js";
import type { CommandPaths } from "../../contract/session.js";
import type { RunOrigin } from "../sandbox/quarantine/judge-runs.js";
import type { Sandbox, WrappedCommand } from "../sandbox/sandbox-types.js";
import { commandEnv } from "./command-env.js";
import type { Launch } from "./launch.js";
import { shellArguments } from "./shell.js";
import type { TreeBounds } from "./watch-tree.js";

/** What a command is prepared with. */
export interface CommandDeps {
  readonly shell: () => Promise<ShellInfo>;
  readonly sandbox: Sandbox;
  /** The real absolute path of a folder that commands of this session may start in; refuses any other. */
  readonly folder: (cwd: string | undefined) => string;
  readonly sessionId: string;
  readonly sessionEnv: () => ReadonlyMap<string, string>;
  /** Whether a variable of the session may be seen by commands. */
  readonly isVisible: (name: string) => boolean;
  /** What the policy's rules about paths mean for the call's commands. */
  readonly paths?: (() => CommandPaths | undefined) | undefined;
  /** A new mark for a command. */
  readonly newMark: () => string;
  /** The mark of everything that this Tenon starts. */
  readonly runTag: string;
  /** Whose changes they are. */
  readonly origin: () => RunOrigin;
  /** It outlives its call. */
  readonly background?: boolean | undefined;
}

/** A command that only needs to be started. */
export interface PreparedCommand {
  readonly launch: Launch;
  readonly sandbox: SandboxState;
  readonly shell: ShellInfo;
  /** `NAME=value` that its processes carry. */
  readonly tag: string;
  /** Limits that are watched from outside. */
  readonly bounds: TreeBounds;
  /** Its limit on processes, for messages. */
  readonly processLimit: number | undefined;
  /** To be called when it has ended, or was not started: judges what it changed and says what must be told. */
  readonly settle: () => Promise<SettledCommand>;
  /** What was held back so far. */
  readonly held: () => readonly HeldBack[];
}

/** What is known of a command once it has ended. */
export interface SettledCommand {
  readonly warnings: readonly string[];
  /** Processes that still ran and ended with it. */
  readonly left: readonly string[];
  readonly heldBack: readonly HeldBack[];
}

/** The system takes about 2 MB of arguments and environment together. */
const maxCommandChars = 400_000;
const maxValueBytes = 100_000;
const maxEnvBytes = 500_000;

/** Check a request and spell out what is to be started. */
export async function prepareCommand(deps: CommandDeps, request: CommandRequest): Promise<PreparedCommand> {
  refuseLine(request.command);
  refuseEnv(request.env ?? {});
  const cwd = deps.folder(request.cwd);
  const [shell, sandbox] = await Promise.all([deps.shell(), deps.sandbox.ready()]);
  const mark = deps.newMark();
  const env = commandEnv({
    session: deps.sessionEnv(),
    own: request.env,
    isVisible: deps.isVisible,
    tags: { TENON_CALL: mark, TENON_RUN: deps.runTag },
    pty: request.pty === true,
  });
  const argv = [shell.path, ...shellArguments(shell, request.command)];
  const common = { sandbox, shell, tag: `TENON_CALL=${mark}` };
  if (!sandbox.active) {
    if (deps.sandbox.required) throw noSandbox(sandbox);
    const launch = { file: shell.path, args: argv.slice(1), cwd, env };
    return {
      ...common,
      launch,
      bounds: {},
      processLimit: undefined,
      settle: async () => ({ warnings: [], left: [], heldBack: [] }),
      held: () => [],
    };
  }
  const wrapped = await deps.sandbox.wrap({
    argv,
    cwd,
    env,
    readOnly: request.readOnly,
    network: request.network === true,
    pty: request.pty === true,
    sessionId: deps.sessionId,
    paths: deps.paths?.(),
    background: deps.background === true,
    origin: deps.origin(),
  });
  // The process that holds the wall carries the mark of this Tenon, too, so that it is found wherever it is.
  const launch = {
    file: wrapped.file,
    args: wrapped.args,
    cwd,
    env: { ...wrapped.env, TENON_RUN: deps.runTag },
    fds: wrapped.extraFds,
  };
  const { bounds, processLimit } = wrapped;
  const held = (): readonly HeldBack[] => wrapped.held();
  return { ...common, launch, bounds, processLimit, held, settle: () => settled(wrapped) };
}

async function settled(wrapped: WrappedCommand): Promise<SettledCommand> {
  const { heldBack, notes, left } = await wrapped.settle();
  return { heldBack, left, warnings: [...wrapped.notes, ...notes] };
}

function noSandbox({ reason }: SandboxState): ToolExecutionError {
  return new ToolExecutionError(`There is no sandbox for the command: ${reason}.`, {
    code: "SANDBOX_UNAVAILABLE",
    hint: "tenon doctor tells how to get it; sandbox.enabled says whether commands may run without.",
  });
}

function refuseLine(command: string): void {
  if (command.includes("\0")) throw invalid("The command holds a NUL character.", "Write it without NUL.");
  if (command.length > maxCommandChars) {
    throw invalid(
      `The command has ${command.length} characters; at most ${maxCommandChars} can be run.`,
      "Write the script to a file first and run that.",
    );
  }
}

function refuseEnv(env: Readonly<Record<string, string>>): void {
  let total = 0;
  for (const [name, value] of Object.entries(env)) {
    const bytes = Buffer.byteLength(value);
    total += name.length + bytes;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes("\0")) {
      throw invalid(
        `"${name.slice(0, 64)}" cannot be set.`,
        "Use letters, digits and _ in names, and no NUL in values.",
      );
    }
    if (bytes > maxValueBytes || total > maxEnvBytes) {
      throw invalid(`The variable "${name}" is too long.`, "Hand large data over in a file.");
    }
  }
}

function invalid(message: string, hint: string): ToolValidationError {
  return new ToolValidationError(message, { code: "VALUE_INVALID", hint });
}
