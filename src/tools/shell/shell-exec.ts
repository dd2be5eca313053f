import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { ToolPreview } from "../../contract/tool.js";
import { createKnownHosts, type KnownHosts } from "./known-hosts.js";
import { askAboutHeld, changesOf } from "./command-changes.js";
import { createLastOutputs, type LastOutputs } from "./last-outputs.js";
import { meansPatch } from "./patch-line.js";
import { isReadOnly, refuseService } from "./judge-line.js";
import { describeUse, hostsOf, networkArgument } from "./network-argument.js";
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
    .describe("Folder to start in, relative to the workspace. `cd` does not carry over to later commands."),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(maxTimeoutMs)
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
  pty: z.boolean().default(false).describe("Run it in a pseudo-terminal, for programs that require one."),
});

type ShellInput = z.infer<typeof input>;

/** Create the tool that runs a command in a shell. */
export function createShellExec() {
  const last = createLastOutputs();
  const known = createKnownHosts();
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
      const hosts = hostsOf(call.network).map((host) => ({ host }));
      return isReadOnly(call, line) ? { reads: tree } : { reads: hosts, writes: tree };
    },
    shellLine: ({ command, cwd, env }) => ({ line: command, cwd, env }),
    meansCall: meansPatch,
    checkPermissions: async (_call, { processes }) => {
      const shell = await processes.shell();
      if (shell.judged) return { behavior: "allow" };
      return { behavior: "ask", message: `command lines for ${shell.name} cannot be analyzed` };
    },
    preview: (call, ctx) => previewLine(call, ctx, known),
    execute(call, ctx) {
      known.add(ctx.sessionId, hostsOf(call.network));
      return call.background ? startJob(call, ctx) : runLine(call, ctx, last);
    },
    render: renderShell,
  });
}

/** Shows the sandbox and options; the analysis adds the single commands of the line. */
function previewLine(
  call: ShellInput,
  { processes, shell, sessionId }: ToolContext,
  known: KnownHosts,
): ToolPreview {
  refuseService(call, shell);
  const { active, reason } = processes.sandbox;
  const hosts = hostsOf(call.network);
  return {
    summary: call.background ? "Start a background job" : "Run a command",
    details: {
      line: call.command,
      ...(call.cwd !== undefined && { cwd: call.cwd }),
      ...(call.env !== undefined && { variables: Object.keys(call.env) }),
      ...(hosts.length > 0 && { network: known.mark(sessionId, hosts) }),
      sandbox: active ? reason : `none: ${reason}`,
    },
  };
}

async function runLine(call: ShellInput, ctx: ToolContext, last: LastOutputs): Promise<ShellResult> {
  refuseService(call, ctx.shell);
  const readOnly = isReadOnly(call, ctx.shell);
  const result = await ctx.processes.run({
    command: call.command,
    cwd: call.cwd,
    env: call.env,
    readOnly,
    network: hostsOf(call.network),
    onNetwork: (use) => ctx.emit({ message: describeUse(use) }),
    pty: call.pty,
    renames: ctx.shell?.movedByGit,
    dryRun: call.dry_run,
    timeoutMs: call.timeout,
    onOutput: (stream, output) => ctx.emit(stream === "stdout" ? { output } : { output, message: "stderr" }),
  });
  const report = await askAboutHeld(result.commit, ctx);
  const changes = await changesOf(report, ctx);
  const held = report?.heldBack ?? [];
  const shown = toShellResult(call.command, result, { readOnly, callId: ctx.callId, changes, held });
  if (call.dry_run === true) shown.dryRun = true;
  return last.compare(shown, ctx, { changesOnly: call.since_last === true });
}

async function startJob(call: ShellInput, ctx: ToolContext): Promise<ShellResult> {
  const { command, cwd, env, network, pty } = call;
  const hosts = hostsOf(network);
  const job = await ctx.processes.start({ command, cwd, env, network: hosts, pty, readOnly: false });
  return toJobResult(command, job);
}
