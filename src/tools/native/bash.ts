import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { Tool } from "../../contract/tool.js";
import { beginsWithPatch } from "../../text/patch-command.js";
import { askAboutHeld, changesOf } from "../shell/command-changes.js";
import { isReadOnly, refuseEndless } from "../shell/judge-line.js";
import { notePrinted } from "../shell/note-printed.js";
import { meansPatch } from "../shell/patch-line.js";
import { renderShell, shellResult, toShellResult, type ShellResult } from "../shell/shell-result.js";
import { createShellStates, type ShellStates } from "./shell-state.js";

const timeoutMs = 120_000;
const maxLineChars = 100_000;

const input = z.object({
  command: z.string().min(1).max(maxLineChars).optional().describe("The command line."),
  restart: z.boolean().optional().describe("Start again in the workspace, without the variables set so far."),
  cwd: z.string().max(4096).optional().describe("Do not set: Tenon fills in the current folder."),
  env: z.record(z.string(), z.string()).optional().describe("Do not set: Tenon fills in the variables."),
});

type BashInput = z.infer<typeof input>;

/** What counts about a line besides its text: a native shell has no options. */
const plain = { background: false, network: false };

/** Claude's bash: the folder and the variables of a session last from command to command. */
export function createBash(): Tool {
  const states = createShellStates();
  return defineTool({
    name: "bash",
    description:
      "Run a command in a bash shell. The current folder and variables last until restart. Prompts cannot be answered.",
    category: "shell",
    annotations: { title: "Bash", dangerous: true },
    native: { provider: "anthropic", definition: { type: "bash_20250124" } },
    replaces: ["shell_exec"],
    timeoutMs: null,
    examples: [{ arguments: { command: "cd src && ls" } }, { arguments: { restart: true } }],
    input,
    output: shellResult,
    resources: (_call, line) => {
      const tree = [{ tree: ".", scope: "session" as const }];
      return isReadOnly(plain, line) ? { reads: tree } : { writes: tree };
    },
    // A patch is judged when apply_patch is called with it.
    shellLine: ({ command = ":", cwd, env }) =>
      beginsWithPatch(command) ? { line: ":" } : { line: command, cwd, env },
    runsOnlyLine: ({ command }) => command !== undefined && !beginsWithPatch(command),
    async checkPermissions(call, ctx) {
      if (call.command === undefined && call.restart !== true) throw noCommand();
      const shell = await ctx.processes.shell();
      const own = states.get(ctx.sessionId);
      const behavior = shell.judged ? ("allow" as const) : ("ask" as const);
      const message = shell.judged ? {} : { message: `command lines for ${shell.name} cannot be analyzed` };
      if (own === undefined || call.cwd !== undefined) return { behavior, ...message };
      const filledIn = { ...call, cwd: own.cwd ?? ".", env: { ...own.variables, ...call.env } };
      return { behavior, ...message, updatedInput: filledIn };
    },
    preview: ({ command, cwd, env }, { processes, shell }) => {
      refuseEndless(plain, shell);
      const { active, reason } = processes.sandbox;
      return {
        summary: command === undefined ? "Restart the shell" : "Run a command",
        details: {
          ...(command !== undefined && { line: command }),
          ...(cwd !== undefined && { cwd }),
          ...(env !== undefined && { variables: Object.keys(env) }),
          sandbox: active ? reason : `none: ${reason}`,
        },
      };
    },
    execute: (call, ctx) => run(call, ctx, states),
    render: renderShell,
  });
}

async function run(call: BashInput, ctx: ToolContext, states: ShellStates): Promise<ShellResult> {
  if (call.restart === true) states.forget(ctx.sessionId);
  const { command, cwd, env } = call;
  if (command === undefined) return restarted();
  if (beginsWithPatch(command)) return applyPatch({ command, cwd }, ctx);
  refuseEndless(plain, ctx.shell);
  const readOnly = isReadOnly(plain, ctx.shell);
  const watch = states.watch(ctx.sessionId, command);
  const result = await ctx.processes.run({
    command: watch.command,
    cwd: call.restart === true ? undefined : cwd,
    env: call.restart === true ? undefined : env,
    readOnly,
    renames: ctx.shell?.movedByGit,
    timeoutMs,
    onOutput: (stream, output) =>
      stream === "stdout"
        ? watch.pass(output, (text) => ctx.emit({ output: text }))
        : ctx.emit({ output, message: "stderr" }),
  });
  const { stdout, note } = watch.end(result.stdout.text, ctx);
  const report = await askAboutHeld(result.commit, ctx);
  const shown = toShellResult(
    command,
    { ...result, stdout: { ...result.stdout, text: stdout } },
    {
      readOnly,
      callId: ctx.callId,
      changes: await changesOf(report, ctx),
      held: report?.heldBack ?? [],
      failure: { hosts: [], workspace: ctx.files.root },
    },
  );
  await notePrinted(shown, ctx);
  return note === undefined ? shown : { ...shown, notes: [...shown.notes, note] };
}

async function applyPatch(
  call: { command: string; cwd?: string | undefined },
  ctx: ToolContext,
): Promise<ShellResult> {
  const meant = meansPatch(call);
  const answer = await ctx.call({ name: "apply_patch", arguments: meant?.arguments ?? {} });
  if (answer.error !== undefined) {
    const { message, code, hint } = answer.error;
    throw new ToolValidationError(message, { code, ...(hint !== undefined && { hint }) });
  }
  return meant?.answer?.(answer.result) as ShellResult;
}

function restarted(): ShellResult {
  return {
    command: "",
    stdout: "tool has been restarted.",
    stderr: "",
    exitCode: 0,
    timedOut: false,
    truncated: false,
    sandboxed: false,
    notes: [],
  };
}

function noCommand(): ToolValidationError {
  return new ToolValidationError("no command provided.", {
    code: "VALUE_INVALID",
    hint: "Pass command, or restart: true.",
    details: { argument: "command" },
  });
}
