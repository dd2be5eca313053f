import type { AgentEvent, AgentResult } from "../../agent/agent-types.js";
import {
  exitCodes,
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, writeJson } from "../output.js";
import { wholeNumber } from "../whole-number.js";
import { toFormat } from "./prompt.js";
import { foldNote, foldText, toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon agent`: a model at work with Tenon's tools. */
export const addAgent: AddCommand = (program, terminal) => {
  withCommonFlags(program.command("agent").description("Let a model work on a task with the tools"))
    .argument("<task>", "what it shall do")
    .option("--model <name>", "model to ask (default: $TENON_MODEL)")
    .option("--base-url <url>", "OpenAI-compatible address (default: $OPENAI_BASE_URL)")
    .option("--api-key-env <name>", "variable that holds the key", "OPENAI_API_KEY")
    .option("--max-steps <n>", "answers of the model at most", "20")
    .option("--max-tokens <n>", "tokens of all steps together")
    .option("--prompt-tools [format]", "tools in the prompt (xml or json), for models without tool calling")
    .option("--prompt-tokens <n>", "tokens that the tools may take in the prompt")
    .option("--task <id>", "id that the calls are recorded under")
    .option("--system <text>", "put before what the model is told")
    .addHelpText(
      "after",
      '\nExample: tenon agent "Summarise README.md" --model llama3.2 --base-url http://localhost:11434/v1',
    )
    .action((task: string, flags: AgentFlags) => runTask(terminal, task, flags));
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
}

async function runTask(terminal: Terminal, task: string, flags: AgentFlags): Promise<void> {
  const { env } = terminal;
  const model = flags.model ?? env["TENON_MODEL"];
  const baseUrl = flags.baseUrl ?? env["OPENAI_BASE_URL"];
  if (model === undefined) throw new UsageError("Which model? Set --model or TENON_MODEL.");
  if (baseUrl === undefined || !URL.canParse(baseUrl))
    throw new UsageError("Where is the model? Set --base-url or OPENAI_BASE_URL to an http(s) address.");
  const limits = {
    maxSteps: wholeNumber("--max-steps", flags.maxSteps),
    maxTokens: wholeNumber("--max-tokens", flags.maxTokens),
    promptTokens: wholeNumber("--prompt-tokens", flags.promptTokens),
    promptTools: typeof flags.promptTools === "string" ? toFormat(flags.promptTools) : flags.promptTools,
  };
  // Loaded here, so that other commands start without it.
  const [{ runAgent }, { openCompatibleModel }] = await Promise.all([
    import("../../agent/run-agent.js"),
    import("../../agent/load-ai.js"),
  ]);
  const apiKey = env[flags.apiKeyEnv];
  // The model's key is nothing that its tools may see, whatever it is called.
  const { [flags.apiKeyEnv]: _, ...safeEnv } = env;
  const opened = await openCompatibleModel({ model, baseUrl, apiKey });
  const shown = show(terminal);
  await withTenon({ ...terminal, env: safeEnv }, flags, async ({ tenon, session }) => {
    const result = await runAgent(tenon, {
      task,
      model: opened,
      session,
      taskId: flags.task,
      system: flags.system,
      ...limits,
      signal: terminal.interrupted,
      onEvent: flags.json === true ? undefined : shown.onEvent,
    });
    shown.end();
    finish(terminal, flags, result);
  });
}

/** Text as it comes on standard output; what is done for it on standard error. */
function show(terminal: Terminal): { onEvent: (event: AgentEvent) => void; end: () => void } {
  const colors = colorsFor(terminal.stderr, terminal.env);
  let midLine = false;
  let held = "";
  // A character may come in parts, so the last word waits for what belongs to it.
  const write = (text: string, ended: boolean): void => {
    const whole = held + text;
    const end = ended ? whole.length : Math.max(whole.lastIndexOf(" "), whole.lastIndexOf("\n")) + 1;
    held = whole.slice(end);
    terminal.stdout.write(toVisibleText(whole.slice(0, end)));
  };
  const say = (line: string): void => {
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
      say(`${colors.cyan("→")} ${colors.bold(toVisibleLine(event.toolName))} ${colors.dim(shorten(args))}`);
    } else if (event.type === "result") {
      const { success, toolName, durationMs, error } = event.envelope;
      const end = success ? colors.green("✓") : colors.red("✗");
      const why = error === undefined ? "" : ` ${error.code}: ${shorten(toVisibleLine(error.message))}`;
      say(`${end} ${toVisibleLine(toolName)} ${colors.dim(`${Math.round(durationMs)} ms`)}${why}`);
    } else if (event.type === "problem")
      say(`${colors.yellow("!")} ${shorten(toVisibleLine(event.message))}`);
  };
  return { onEvent, end: () => write("", true) };
}

function shorten(text: string): string {
  const folded = foldText(text, { lines: 1, characters: 200 });
  return [folded.shown, foldNote(folded)].join(" ").trimEnd();
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
    ...(error === undefined ? [] : [colors.red(`The agent stopped: ${toVisibleText(error)}`)]),
    ...(stopped === "max-steps" ? [`It stopped after ${steps} steps (--max-steps).`] : []),
    ...(stopped === "budget" ? ["It stopped because its tokens are spent (--max-tokens)."] : []),
    ...(stopped === "cancelled" ? ["It was interrupted."] : []),
    colors.dim(`${steps} steps, ${calls} calls, ${tokens}. Task ${taskId}: ${reflection.verdict}.`),
    ...reflection.lessons.map((lesson) => colors.dim(`- ${toVisibleLine(lesson)}`)),
  ];
  terminal.stderr.write(`${lines.join("\n")}\n`);
}
