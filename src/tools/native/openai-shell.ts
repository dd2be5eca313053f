import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolExecutionError } from "../../contract/errors.js";
import type { Tool } from "../../contract/tool.js";
import type { ShellResult } from "../shell/shell-result.js";

const maxTimeoutMs = 600_000;

const input = z.object({
  commands: z.array(z.string().min(1)).min(1).max(50).describe("Command lines, run one after the other."),
  timeout_ms: z.number().int().min(1).optional().describe("Milliseconds until a command is stopped."),
  max_output_length: z.number().int().min(0).optional().describe("Characters of output of each command."),
});

const output = z.object({
  output: z.array(
    z.object({
      stdout: z.string(),
      stderr: z.string(),
      outcome: z.union([
        z.object({ type: z.literal("exit"), exit_code: z.number() }),
        z.object({ type: z.literal("timeout") }),
      ]),
    }),
  ),
  max_output_length: z.number().optional(),
});

type ShellCall = z.infer<typeof input>;
type CommandOutput = z.infer<typeof output>["output"][number];

/** OpenAI's `shell`, carried out by `shell_exec`: every command is judged and recorded by itself. */
export const openAiShell: Tool = defineTool({
  name: "shell",
  description: "Run command lines one after the other and return the output and outcome of each.",
  category: "shell",
  annotations: { title: "Shell" },
  native: { provider: "openai", definition: { type: "shell" } },
  replaces: ["shell_exec"],
  timeoutMs: null,
  dependsOn: ["shell_exec"],
  examples: [{ arguments: { commands: ["ls", "git status --short"] } }],
  input,
  output,
  execute: runAll,
  render: ({ output: results }) => results.map(renderOutput).join("\n"),
});

async function runAll(call: ShellCall, ctx: ToolContext): Promise<z.infer<typeof output>> {
  const { commands, timeout_ms: timeoutMs, max_output_length: maxLength } = call;
  const results: CommandOutput[] = [];
  for (const command of commands) {
    const timeout = timeoutMs === undefined ? {} : { timeout: Math.min(timeoutMs, maxTimeoutMs) };
    const answer = await ctx.call({ name: "shell_exec", arguments: { command, ...timeout } });
    if (answer.error !== undefined) {
      // The first refusal is the answer: what would follow was written for its result.
      if (results.length === 0) throw sameError(answer.error);
      results.push({ stdout: "", stderr: answer.error.message, outcome: { type: "exit", exit_code: 1 } });
      break;
    }
    results.push(toOutput(answer.result, maxLength));
  }
  return { output: results, ...(maxLength !== undefined && { max_output_length: maxLength }) };
}

function toOutput(result: ShellResult, maxLength = Number.POSITIVE_INFINITY): CommandOutput {
  const { timedOut, exitCode, stdout, stderr } = result;
  return {
    stdout: clipMiddle(stdout, maxLength),
    stderr: clipMiddle(stderr, maxLength),
    outcome: timedOut ? { type: "timeout" } : { type: "exit", exit_code: exitCode ?? 1 },
  };
}

/** Beginning and end say the most. */
function clipMiddle(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const half = Math.floor(maxLength / 2);
  const cut = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}\n[${cut} characters left out]\n${text.slice(text.length - half).toWellFormed()}`;
}

function sameError({
  message,
  code,
  hint,
  details,
}: {
  message: string;
  code: string;
  hint?: string;
  details?: Readonly<Record<string, unknown>>;
}): ToolExecutionError {
  return new ToolExecutionError(message, {
    code,
    ...(hint !== undefined && { hint }),
    ...(details && { details }),
  });
}

function renderOutput({ stdout, stderr, outcome }: CommandOutput): string {
  const end = outcome.type === "timeout" ? "[timed out]" : `[exit code ${outcome.exit_code}]`;
  return [stdout, stderr, end].filter((part) => part !== "").join("\n");
}
