import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { ShellFacts, ToolPreview } from "../../contract/tool.js";
import { createKnownHosts, type KnownHosts } from "./known-hosts.js";
import { askAboutHeld, changesOf } from "./command-changes.js";
import { createLastOutputs, type LastOutputs } from "./last-outputs.js";
import { notePrinted } from "./note-printed.js";
import { meansPatch } from "./patch-line.js";
import { reportingFolder, takeFolder, toRelative } from "./change-folder.js";
import { isReadOnly, refuseEndless } from "./judge-line.js";
import { createNetworkAccess, type NetworkAccess } from "./network-access.js";
import { describeUse, networkArgument } from "./network-argument.js";
import { renderShell, shellResult, toJobResult, toShellResult, type ShellResult } from "./shell-result.js";

const maxTimeoutMs = 600_000;
/** The system limits one argument, and nobody could review more than this before consent. */
const maxLineChars = 100_000;

const input = z.object({
  command: z
    .string()
    .min(1)
    .max(
      maxLineChars,
      `A command may have at most ${maxLineChars} characters; write a longer script to a file and run that.`,
    )
    .describe("The command line, as typed into a shell."),
  cwd: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      "Folder to start this command in, relative to the workspace. By default where the last line that was only `cd DIR` led to, else the workspace.",
    ),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(maxTimeoutMs, `The timeout is in milliseconds, at most ${maxTimeoutMs}.`)
    .default(30_000)
    .describe(
      "Milliseconds until the command is stopped, at most 600000. Does not apply to background jobs.",
    ),
  env: z
    .record(
      z
        .string()
        .max(256)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
      z.string().max(100_000),
    )
    .optional()
    .describe("Environment variables for this command, in addition to those of the session."),
  background: z
    .boolean()
    .default(false)
    .describe(
      "Start it as a background job and return at once, for servers and long-running commands. It ends with the session.",
    ),
  network: networkArgument,
  since_last: z
    .boolean()
    .optional()
    .describe(
      "If the same command ran in this folder in this session before, return only the changes of its output.",
    ),
  dry_run: z
    .boolean()
    .optional()
    .describe(
      "Run it without changing the workspace, to see what it would change; commit_result commits that.",
    ),
  stdin: z.string().optional().describe("Text that the command reads from its standard input."),
  pty: z
    .boolean()
    .default(false)
    .describe(
      "Run it in a pseudo-terminal, for programs that require one. Type into a background job with shell_input.",
    ),
});

type ShellInput = z.infer<typeof input>;

/** What is remembered from call to call. */
interface ShellParts {
  readonly last: LastOutputs;
  readonly known: KnownHosts;
  readonly access: NetworkAccess;
}

/** Create the tool that runs a command in a shell. */
export function createShellExec() {
  const parts: ShellParts = {
    last: createLastOutputs(),
    known: createKnownHosts(),
    access: createNetworkAccess(),
  };
  const { known, access } = parts;
  return defineTool({
    name: "shell_exec",
    aliases: ["bash", "run_command"],
    description:
      "Run a command in a shell and return its output and exit code. Prompts cannot be answered. Start servers with background.",
    category: "shell",
    annotations: { title: "Run command", dangerous: true },
    timeoutMs: null,
    examples: [
      { description: "A quick check", arguments: { command: "git status --short" } },
      { description: "A long build", arguments: { command: "npm run build", timeout: 300_000 } },
      { description: "A server", arguments: { command: "npm run dev", background: true } },
    ],
    input,
    output: shellResult,
    resources(call, line) {
      // Sessions do not wait for each other's commands: the journal detects if two change the same file.
      const tree = [{ tree: ".", scope: "session" as const }];
      const hosts = access.hosts(call).map((host) => ({ host }));
      return isReadOnly(call, line) ? { reads: tree } : { reads: hosts, writes: tree };
    },
    prepare: (call, ctx) => access.prepare(call, ctx),
    shellLine: ({ command, cwd, env, stdin }, { folder }) => ({
      line: command,
      cwd: cwd ?? folder,
      env,
      stdin,
    }),
    runsOnlyLine: ({ background, pty }) => !background && !pty,
    meansCall: (call, { folder }) => meansPatch({ ...call, cwd: call.cwd ?? folder }),
    checkPermissions: async (_call, { processes }) => {
      const shell = await processes.shell();
      if (shell.judged) return { behavior: "allow" };
      return { behavior: "ask", message: `command lines for ${shell.name} cannot be analyzed` };
    },
    preview: (call, ctx) => previewLine(call, ctx, parts),
    async execute(call, ctx) {
      known.add(ctx.sessionId, access.hosts(call));
      const result = await (call.background ? startJob(call, ctx, parts) : runLine(call, ctx, parts));
      return { ...result, notes: [...result.notes, ...access.notes(call)] };
    },
    render: renderShell,
  });
}

/** Shows the sandbox and options; the analysis adds the single commands of the line. */
function previewLine(
  call: ShellInput,
  { processes, files, shell, sessionId }: ToolContext,
  { known, access }: ShellParts,
): ToolPreview {
  refuseUseless(call, shell);
  const { active, reason } = processes.sandbox;
  const cwd = call.cwd ?? toRelative(shell?.cwd ?? files.root, files.root);
  const hosts = access.hosts(call);
  return {
    summary: call.background ? "Start a background job" : "Run a command",
    details: {
      line: call.command,
      ...(cwd !== undefined && { cwd }),
      ...(call.env !== undefined && { variables: Object.keys(call.env) }),
      ...(call.stdin !== undefined && { stdin: describeInput(call.stdin) }),
      ...(hosts.length > 0 && { network: known.mark(sessionId, hosts, processes.credentialHosts) }),
      sandbox: active ? reason : `none: ${reason}`,
    },
  };
}

/** Refuse what cannot work, before anybody is asked about it. */
function refuseUseless(call: ShellInput, facts: ShellFacts | undefined): void {
  if (call.stdin !== undefined && call.pty) {
    throw new ToolValidationError("stdin cannot be passed to a pseudo-terminal.", {
      code: "VALUE_INVALID",
      hint: "Leave out pty, or set background to true and type with shell_input.",
      details: { argument: "stdin" },
    });
  }
  refuseEndless(call, facts);
}

const maxShownInput = 2000;

function describeInput(text: string): string {
  if (text.length <= maxShownInput) return text;
  return `${text.slice(0, maxShownInput)}… (${text.length} characters in all)`;
}

async function runLine(
  call: ShellInput,
  ctx: ToolContext,
  { access, last }: ShellParts,
): Promise<ShellResult> {
  refuseUseless(call, ctx.shell);
  const readOnly = isReadOnly(call, ctx.shell);
  const { lost } = ctx.processes.folder;
  const movesSession = ctx.shell?.isOnlyCd === true && (await ctx.processes.shell()).judged;
  const ended = await ctx.processes.run({
    command: movesSession ? reportingFolder(call.command, ctx) : call.command,
    // Where it was judged: another command may have changed the session's folder since.
    cwd: call.cwd ?? ctx.shell?.cwd,
    env: { ...access.variables(call), ...call.env },
    stdin: call.stdin,
    readOnly,
    network: access.hosts(call),
    onNetwork: (use) => ctx.emit({ message: describeUse(use) }),
    pty: call.pty,
    renames: ctx.shell?.movedByGit,
    dryRun: call.dry_run,
    timeoutMs: call.timeout,
    onOutput: (stream, output) => ctx.emit(stream === "stdout" ? { output } : { output, message: "stderr" }),
  });
  const result = movesSession ? takeFolder(ended, ctx) : ended;
  const report = await askAboutHeld(result.commit, ctx);
  const changes = await changesOf(report, ctx);
  const held = report?.heldBack ?? [];
  const shown = toShellResult(call.command, result, {
    readOnly,
    callId: ctx.callId,
    changes,
    held,
    failure: { hosts: access.hosts(call), workspace: ctx.files.root },
  });
  if (call.dry_run === true) shown.dryRun = true;
  if (call.cwd === undefined) shown.notes.push(...folderNotes(ctx, lost));
  const compared = await last.compare(shown, ctx, { changesOnly: call.since_last === true });
  await notePrinted(compared, ctx);
  return compared;
}

/** Where a command ran that did not name a folder, if not in the workspace. */
function folderNotes({ shell, files }: ToolContext, lost: string | undefined): string[] {
  if (lost !== undefined)
    return [`The folder ${lost} no longer exists, so commands start in the workspace again.`];
  const folder = toRelative(shell?.cwd ?? files.root, files.root);
  return folder === undefined || shell?.isOnlyCd === true ? [] : [`It ran in ${folder}.`];
}

async function startJob(call: ShellInput, ctx: ToolContext, { access }: ShellParts): Promise<ShellResult> {
  refuseUseless(call, ctx.shell);
  const { command, pty, stdin } = call;
  const network = access.hosts(call);
  const env = { ...access.variables(call), ...call.env };
  const cwd = call.cwd ?? ctx.shell?.cwd;
  const job = await ctx.processes.start({ command, cwd, env, network, pty, stdin, readOnly: false });
  return toJobResult(command, job);
}
