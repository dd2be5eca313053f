import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { AgentEvent, AgentResult } from "../../agent/agent-types.js";
import type { AgentTranscript } from "../../agent/transcript.js";
import { toFileProblem } from "../../contract/file-problem.js";
import {
  exitCodes,
  UsageError,
  type AddCommand,
  type CommonFlags,
  type Terminal,
  addCommand,
} from "../command-line.js";
import { withJobs } from "../open-tenon.js";
import { colorsFor, writeJson, shortenLine } from "../output.js";
import { RefusedCalls } from "../refused-calls.js";
import { wholeNumber } from "../whole-number.js";
import { toFormat } from "./prompt.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon agent`: let a model work on a task. */
export const addAgent: AddCommand = (program, terminal) => {
  addCommand(program, "agent", "Let a model work on a task with the tools")
    .argument("[task]", "what to do (default: the task of --replay)")
    .option("--model <name>", "model name (default: $TENON_MODEL)")
    .option("--base-url <url>", "OpenAI-compatible base URL (default: $OPENAI_BASE_URL)")
    .option("--api-key-env <name>", "environment variable with the API key", "OPENAI_API_KEY")
    .option("--max-steps <n>", "maximum number of model responses", "20")
    .option("--max-tokens <n>", "token budget for all steps together")
    .option(
      "--prompt-tools [format]",
      "describe the tools in the prompt (xml or json), for models without tool calling",
    )
    .option("--prompt-tokens <n>", "maximum number of prompt tokens for the tools")
    .option("--task <id>", "task id to record the calls under")
    .option("--system <text>", "text to add at the start of the system prompt")
    .option("--transcript <file>", "write the model's answers and the results of its calls to this file")
    .option("--replay <file>", "run the calls of a transcript again, without a model")
    .addHelpText(
      "after",
      '\nExample: tenon agent "Summarize README.md" --model llama3.2 --base-url http://localhost:11434/v1',
    )
    .action((task: string | undefined, flags: AgentFlags) => runTask(terminal, task, flags));
};

interface AgentFlags extends CommonFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKeyEnv: string;
  readonly maxSteps: string;
  readonly maxTokens?: string;
  readonly promptTools?: string | true;
  readonly promptTokens?: string;
  readonly task?: string;
  readonly system?: string;
  readonly transcript?: string;
  readonly replay?: string;
}

async function runTask(terminal: Terminal, task: string | undefined, flags: AgentFlags): Promise<void> {
  const limits = {
    maxSteps: wholeNumber("--max-steps", flags.maxSteps),
    maxTokens: wholeNumber("--max-tokens", flags.maxTokens),
    promptTokens: wholeNumber("--prompt-tokens", flags.promptTokens),
    promptTools: typeof flags.promptTools === "string" ? toFormat(flags.promptTools) : flags.promptTools,
  };
  const answering =
    flags.replay === undefined
      ? await openModel(terminal, flags)
      : await openReplay(resolve(terminal.cwd, flags.replay));
  if (task === undefined && flags.replay === undefined)
    throw new UsageError("No task specified. Pass what to do, or --replay with a transcript.");
  // Loaded here to keep other commands fast.
  const { runAgent } = await import("../../agent/run-agent.js");
  // The tools must not see the model's key, whatever its variable is called.
  const { [flags.apiKeyEnv]: _, ...safeEnv } = terminal.env;
  const printer = createPrinter(terminal);
  const refused = new RefusedCalls();
  const onEvent = (event: AgentEvent): void => {
    printer.onEvent(event);
    refused.onEvent(event);
  };
  await withJobs({ ...terminal, env: safeEnv }, flags, async (open) => {
    const { tenon, session } = open;
    const result = await runAgent(tenon, {
      ...answering,
      task,
      session,
      taskId: flags.task,
      system: flags.system,
      ...limits,
      signal: terminal.interrupted,
      onEvent: flags.json === true ? undefined : onEvent,
    });
    printer.end();
    if (flags.transcript !== undefined)
      await writeFile(
        resolve(terminal.cwd, flags.transcript),
        `${JSON.stringify(result.transcript, null, 2)}\n`,
      );
    finish(terminal, flags, result);
    for (const command of await refused.commands(open)) terminal.stderr.write(`To allow it: ${command}\n`);
  });
}

async function openModel({ env }: Terminal, flags: AgentFlags): Promise<{ readonly model: object }> {
  const model = flags.model ?? env["TENON_MODEL"];
  const baseUrl = flags.baseUrl ?? env["OPENAI_BASE_URL"];
  if (model === undefined) throw new UsageError("No model specified. Pass --model or set TENON_MODEL.");
  if (baseUrl === undefined || !URL.canParse(baseUrl))
    throw new UsageError("No valid model address. Pass --base-url or set OPENAI_BASE_URL to an http(s) URL.");
  const { openCompatibleModel } = await import("../../agent/load-ai.js");
  return { model: await openCompatibleModel({ model, baseUrl, apiKey: env[flags.apiKeyEnv] }) };
}

async function openReplay(file: string): Promise<{ readonly transcript: AgentTranscript }> {
  const { checkTranscript } = await import("../../agent/transcript.js");
  try {
    return { transcript: checkTranscript(JSON.parse(await readFile(file, "utf8"))) };
  } catch (error) {
    throw new UsageError(`Cannot replay ${file}: ${toFileProblem(error)}`);
  }
}

/** Prints text to standard output as it arrives, and calls to standard error. */
function createPrinter(terminal: Terminal): { onEvent: (event: AgentEvent) => void; end: () => void } {
  const colors = colorsFor(terminal.stderr, terminal.env);
  let midLine = false;
  let held = "";
  // A character may arrive in parts, so the last word waits for the rest.
  const write = (text: string, ended: boolean): void => {
    const whole = held + text;
    const end = ended ? whole.length : Math.max(whole.lastIndexOf(" "), whole.lastIndexOf("\n")) + 1;
    held = whole.slice(end);
    terminal.stdout.write(toVisibleText(whole.slice(0, end)));
  };
  const printLine = (line: string): void => {
    write("", true);
    if (midLine) terminal.stdout.write("\n");
    midLine = false;
    terminal.stderr.write(`${line}\n`);
  };
  const onEvent = (event: AgentEvent): void => {
    if (event.type === "text") {
      write(event.text, false);
      midLine = !event.text.endsWith("\n");
    } else if (event.type === "call") {
      const args = toVisibleLine(JSON.stringify(event.arguments) ?? "");
      printLine(
        `${colors.cyan("→")} ${colors.bold(toVisibleLine(event.toolName))} ${colors.dim(shortenLine(args, 200))}`,
      );
    } else if (event.type === "result") {
      const { success, toolName, durationMs, error } = event.envelope;
      const end = success ? colors.green("✓") : colors.red("✗");
      const why =
        error === undefined ? "" : ` ${error.code}: ${shortenLine(toVisibleLine(error.message), 200)}`;
      printLine(`${end} ${toVisibleLine(toolName)} ${colors.dim(`${Math.round(durationMs)} ms`)}${why}`);
    } else if (event.type === "problem")
      printLine(`${colors.yellow("!")} ${shortenLine(toVisibleLine(event.message), 200)}`);
  };
  return { onEvent, end: () => write("", true) };
}

function finish(terminal: Terminal, flags: AgentFlags, result: AgentResult): void {
  terminal.exitCode = result.stopped === "done" ? exitCodes.success : exitCodes.failure;
  if (flags.json === true) {
    writeJson(terminal, result);
    return;
  }
  const colors = colorsFor(terminal.stderr, terminal.env);
  const { stopped, error, steps, calls, usage, reflection, taskId } = result;
  if (!result.text.endsWith("\n")) terminal.stdout.write("\n");
  const tokens = `${usage.inputTokens} tokens in, ${usage.outputTokens} out`;
  const lines = [
    ...(error === undefined ? [] : [colors.red(`The agent failed: ${toVisibleText(error)}`)]),
    ...(stopped === "max-steps" ? [`Stopped after ${steps} steps (--max-steps).`] : []),
    ...(stopped === "budget" ? ["Stopped: the token budget is used up (--max-tokens)."] : []),
    ...(stopped === "length" ? ["Stopped: the answer reached the model's output limit."] : []),
    ...(stopped === "content-filter" ? ["Stopped: the provider's content filter withheld the answer."] : []),
    ...(stopped === "cancelled" ? ["Interrupted."] : []),
    colors.dim(
      `${steps} ${steps === 1 ? "step" : "steps"}, ${calls} ${calls === 1 ? "call" : "calls"}, ${tokens}. Task ${taskId}: ${reflection.verdict}.`,
    ),
    ...reflection.lessons.map((lesson) => colors.dim(`- ${toVisibleLine(lesson)}`)),
  ];
  terminal.stderr.write(`${lines.join("\n")}\n`);
}
