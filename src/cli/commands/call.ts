import { text } from "node:stream/consumers";
import type { ToolEnvelope, ToolRequest } from "../../contract/call.js";
import {
  exitCodes,
  UsageError,
  type AddCommand,
  type CommonFlags,
  type Terminal,
  addCommand,
} from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { colorsFor, writeJson } from "../output.js";
import { collect } from "../shared-options.js";
import { commandToAllow } from "../allow-command.js";
import { inputSchemaOf, readArguments, readJson } from "../read-arguments.js";
import { createLiveOutput, type LiveOutput } from "../live-output.js";
import { createSpinner } from "../spinner.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon call`: call one tool. */
export const addCall: AddCommand = (program, terminal) => {
  addCommand(program, "call", "Call a tool")
    .argument("<name>", "tool name, alias or name@range")
    .argument(
      "[arguments...]",
      "one JSON object, key=value pairs, the value of the only required argument, or - to read JSON from standard input",
    )
    .option("--timeout <ms>", "time limit in milliseconds")
    .option("--task <id>", "task id to record the call under")
    .option("--idempotency-key <key>", "repeat a key to get the first answer again instead of a second call")
    .option(
      "--set <key=value>",
      "setting for this call, such as securityLevel=high; may be repeated",
      collect,
    )
    .addHelpText(
      "after",
      "\nExit codes: 0 success, 1 the tool failed, 2 usage error, 3 denied.\nExamples: tenon call read_file README.md\n          tenon call json_parse text='{\"a\":1}'",
    )
    .action((name: string, words: string[], flags: CallFlags) =>
      withTenon(terminal, flags, async (open) => {
        const request = await toRequest(open, { name, words, flags, terminal });
        const { envelope, saidNo, live } = await callOnce(open, request);
        // A person who said no at this terminal need not be told what a model should make of it.
        if (saidNo && flags.json !== true)
          terminal.stderr.write("You refused the call; nothing was changed.\n");
        else showAnswer(open, envelope, live);
        terminal.exitCode = exitCodeOf(envelope);
        if (flags.json === true || envelope.success || saidNo) return;
        const { task, timeout, idempotencyKey } = flags;
        const options = { task, timeout, "idempotency-key": idempotencyKey };
        const command = await commandToAllow(open, envelope, { request, words: [name, ...words], options });
        // The hint is for a model, which cannot change what is allowed.
        if (command !== undefined) terminal.stderr.write(`To allow it: ${command}\n`);
        else showHint(terminal, envelope);
      }),
    );
};

interface CallFlags extends CommonFlags {
  readonly timeout?: string;
  readonly task?: string;
  readonly idempotencyKey?: string;
}

interface CallWords {
  readonly name: string;
  readonly words: readonly string[];
  readonly flags: CallFlags;
  readonly terminal: Terminal;
}

async function toRequest(
  { tenon }: OpenTenon,
  { name, words, flags, terminal }: CallWords,
): Promise<ToolRequest> {
  const fromStdin = words.length === 1 && words[0] === "-";
  const args = fromStdin
    ? readJson(await text(terminal.stdin))
    : readArguments(words, words.length === 0 ? undefined : await inputSchemaOf(tenon, name));
  return {
    name,
    arguments: args,
    signal: terminal.interrupted,
    ...(flags.task !== undefined && { taskId: flags.task }),
    ...(flags.idempotencyKey !== undefined && { idempotencyKey: flags.idempotencyKey }),
    ...(flags.timeout !== undefined && { timeoutMs: toMilliseconds(flags.timeout) }),
  };
}

function toMilliseconds(word: string): number {
  const ms = Number(word);
  if (Number.isFinite(ms) && ms > 0) return ms;
  throw new UsageError(`Invalid --timeout "${word}" (expected milliseconds above 0).`);
}

/** Call and show progress on standard error, so that standard output has only the answer. */
async function callOnce(
  { session, terminal, flags }: OpenTenon,
  request: ToolRequest,
): Promise<{ readonly envelope: ToolEnvelope; readonly saidNo: boolean; readonly live: LiveOutput }> {
  let answeredNo = false;
  const showProgress = terminal.stderr.isTTY === true && flags.json !== true;
  const spinner = createSpinner(terminal, flags);
  const live = createLiveOutput(terminal, spinner);
  const working = `${toVisibleLine(request.name)} is running,`;
  spinner.start(working);
  try {
    for await (const item of session.stream(request)) {
      if (item.type === "result") {
        const { envelope } = item;
        return { envelope, saidNo: answeredNo && envelope.error?.code === "APPROVAL_DENIED", live };
      }
      // The line of the question must not be overwritten.
      if (item.type === "APPROVAL_REQUESTED") spinner.stop();
      if (item.type === "APPROVAL_RESOLVED") {
        answeredNo = item.payload.verdict === "no" && item.payload.channel === "terminal";
        spinner.start(working);
      }
      if (showProgress && item.type === "TOOL_CALL_PROGRESS") live.show(item.payload);
    }
    throw new Error("The call ended without an answer.");
  } finally {
    spinner.stop();
  }
}

function showAnswer({ terminal, flags }: OpenTenon, envelope: ToolEnvelope, live: LiveOutput): void {
  if (flags.json === true) {
    writeJson(terminal, envelope);
    return;
  }
  const shown = envelope.content
    .map((part) => (part.type === "text" ? part.text : `[${part.type}]`))
    .join("\n");
  if (envelope.success) {
    const rest = live.rest(shown);
    terminal.stdout.write(terminal.stdout.isTTY === true ? toVisibleText(rest) : rest);
    return;
  }
  const { error } = envelope;
  const colors = colorsFor(terminal.stderr, terminal.env);
  terminal.stderr.write(`${colors.red(error?.code ?? "FAILED")}: ${toVisibleText(error?.message ?? "")}\n`);
}

function showHint(terminal: Terminal, { error }: ToolEnvelope): void {
  const colors = colorsFor(terminal.stderr, terminal.env);
  if (error?.hint !== undefined) terminal.stderr.write(`${colors.dim(toVisibleText(error.hint))}\n`);
}

function exitCodeOf({ success, error }: ToolEnvelope): number {
  if (success) return exitCodes.success;
  const denied = error?.type === "ToolPermissionError" || error?.type === "ToolSecurityError";
  return denied ? exitCodes.denied : exitCodes.failure;
}
