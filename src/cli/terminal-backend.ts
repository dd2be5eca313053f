import type * as clackPrompts from "@clack/prompts";
import type { Readable, Writable } from "node:stream";
import { ToolCancelledError } from "../contract/errors.js";
import type {
  Answer,
  ApprovalAnswer,
  ApprovalRequest,
  InteractBackend,
  Question,
} from "../contract/ports/interact.js";
import { maxUnpagedText, toApprovalText, toQuestionText } from "../text/approval-text.js";
import { foldNote, foldText, fromVisibleText, toVisibleLine, toVisiblePieces } from "../text/visible-text.js";
import type { Terminal } from "./command-line.js";
import { colorsFor, paintChanges } from "./output.js";
import { pageText } from "./page-text.js";

type Clack = typeof clackPrompts;

interface Prompt {
  readonly clack: Clack;
  /** Where the prompt is drawn, and what ends it early. */
  readonly common: { input: Readable; output: Writable; signal: AbortSignal };
  readonly terminal: Terminal;
}

/** Asks the person at the terminal, one question at a time, on standard error so that standard output stays clean. */
export function createTerminalBackend(terminal: Terminal): InteractBackend {
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(signal: AbortSignal, ask: (prompt: Prompt) => Promise<T>): Promise<T> => {
    const asking = turn.then(async () => {
      signal.throwIfAborted();
      const clack = await import("@clack/prompts");
      const common = { input: terminal.stdin as Readable, output: terminal.stderr as Writable, signal };
      return ask({ clack, common, terminal });
    });
    turn = asking.catch(() => undefined); // a failed question must not block the next one
    return asking;
  };
  return {
    name: "terminal",
    channel: "terminal",
    available: () => terminal.stdin.isTTY === true && terminal.stderr.isTTY === true,
    ask: (question, signal) => inTurn(signal, (prompt) => askQuestion(prompt, question)),
    approve: (request, signal) => inTurn(signal, (prompt) => askConsent(prompt, request)),
  };
}

type Verdict = "once" | "session" | "always" | "change" | "again" | "no";

/** Ctrl-C at the question is a no; a call that ended meanwhile has no answer. */
async function askConsent(prompt: Prompt, request: ApprovalRequest): Promise<ApprovalAnswer> {
  try {
    return await askApproval(prompt, request);
  } catch (error) {
    if (error instanceof ToolCancelledError && !prompt.common.signal.aborted) return { verdict: "no" };
    throw error;
  }
}

async function askApproval(prompt: Prompt, request: ApprovalRequest): Promise<ApprovalAnswer> {
  const { clack, common } = prompt;
  const text = toApprovalText(request);
  let opened = await showText(prompt, text);
  let verdict = await askVerdict(prompt, request, { opened, long: isLong(text) });
  while (verdict === "again") {
    opened = await showText(prompt, text);
    verdict = await askVerdict(prompt, request, { opened, long: true });
  }
  if (verdict === "no") {
    const reason = answered(
      clack,
      await clack.text({
        ...common,
        message: "Why? (shown to the model)",
        placeholder: "optional",
        defaultValue: "",
      }),
    );
    return reason === "" ? { verdict } : { verdict, reason };
  }
  if (verdict !== "change") return { verdict };
  return { verdict: "once", updatedArguments: await askArguments(prompt, request.arguments) };
}

/** A request that was not opened cannot be approved. */
async function askVerdict(
  { clack, common }: Prompt,
  { alwaysRule, arguments: args, afterRun }: ApprovalRequest,
  { opened, long }: { readonly opened: boolean; readonly long: boolean },
): Promise<Verdict> {
  const always =
    alwaysRule === undefined
      ? []
      : [{ value: "always" as const, label: "Always", hint: toVisibleLine(alwaysRule) }];
  const options: { value: Verdict; label: string; hint?: string }[] = [
    ...(opened
      ? [
          { value: "once" as const, label: "Yes, once" },
          { value: "session" as const, label: "Yes, for this session" },
          ...always,
        ]
      : []),
    // Longer arguments cannot be edited on one line of a terminal.
    ...(opened && afterRun !== true && editableJson(args).length <= maxUnpagedText
      ? [{ value: "change" as const, label: "Yes, with different arguments" }]
      : []),
    ...(long ? [{ value: "again" as const, label: opened ? "Show it again" : "Show it in full first" }] : []),
    { value: "no", label: "No" },
  ];
  const message = afterRun === true ? "Commit these changes?" : "Allow this call?";
  return answered(clack, await clack.select<Verdict>({ ...common, message, initialValue: "no", options }));
}

function isLong(text: string): boolean {
  return text.length > maxUnpagedText;
}

/** Write a text in its visible form, whole; a long one is opened in a pager first. Returns whether it was opened. */
async function showText({ clack, common, terminal }: Prompt, text: string): Promise<boolean> {
  if (!isLong(text)) {
    common.output.write(`\n${paintChanges(text, colorsFor(terminal.stderr, terminal.env))}\n`);
    return true;
  }
  const opened = await pageText(text, {
    terminal,
    signal: common.signal,
    askNextPage: async (left) =>
      answered(
        clack,
        await clack.confirm({ ...common, message: left, active: "Next page", inactive: "Stop reading" }),
      ),
  });
  // A pager leaves nothing on the screen.
  const folded = foldText(text, { lines: 16, characters: 2000 });
  const where = opened ? "opened above" : "not shown in full";
  common.output.write(`\n${folded.shown}\n${foldNote(folded)} (${where})\n`);
  return opened;
}

/** Arguments as JSON in which invisible characters are escape sequences. */
function editableJson(value: unknown): string {
  const escape = (text: string): string =>
    fromVisibleText(text).replace(
      /[\s\S]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return toVisiblePieces(JSON.stringify(value) ?? "null")
    .map(({ text, written }) => (written && text !== "⟨U+27E8⟩" ? escape(text) : fromVisibleText(text)))
    .join("");
}

async function askArguments({ clack, common }: Prompt, current: unknown): Promise<unknown> {
  const text = answered(
    clack,
    await clack.text({
      ...common,
      message: "Arguments as JSON",
      initialValue: editableJson(current),
      validate: (value) => (isJson(value ?? "") ? undefined : "Invalid JSON."),
    }),
  );
  return JSON.parse(text) as unknown;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function askQuestion(prompt: Prompt, question: Question): Promise<Answer> {
  const { clack, common } = prompt;
  const text = toQuestionText(question);
  // A prompt is redrawn on every key; longer texts are printed above it instead.
  const above = text.length > 200 || text.includes("\n");
  if (above) await openWhole(prompt, text);
  const message = above ? shortMessage(question.message) : text;
  if (question.kind === "confirm") {
    return { approved: answered(clack, await clack.confirm({ ...common, message })) };
  }
  if (question.kind === "review") return askReview(prompt, question);
  if (question.options === undefined) {
    const preset =
      question.default === undefined
        ? {}
        : { defaultValue: question.default, placeholder: toVisibleLine(question.default) };
    return { text: answered(clack, await clack.text({ ...common, message, ...preset })) };
  }
  return askChoice(prompt, message, question.options);
}

function shortMessage(message: string): string {
  const line = toVisibleLine(message);
  return line.length <= 200 ? line : "Your answer";
}

/** A question can be answered once its text was opened; stopping early cancels it. */
async function openWhole(prompt: Prompt, text: string): Promise<void> {
  if (!(await showText(prompt, text))) throw new ToolCancelledError("The question was dismissed.");
}

async function askChoice(prompt: Prompt, message: string, choices: readonly string[]): Promise<Answer> {
  const { clack, common } = prompt;
  const other = choices.length;
  const labels = choices.map(toVisibleLine);
  if (labels.some((label) => label.length > 200)) {
    await openWhole(prompt, labels.map((label, at) => `${at + 1}. ${label}`).join("\n"));
  }
  const options = [
    ...labels.map((label, value) => ({ value, label: shortLabel(label, value) })),
    { value: other, label: "Something else…" },
  ];
  const chosen = answered(clack, await clack.select({ ...common, message, options }));
  if (chosen !== other) return { text: choices[chosen] ?? "" };
  return { text: answered(clack, await clack.text({ ...common, message })) };
}

function shortLabel(label: string, at: number): string {
  if (label.length <= 200) return label;
  const folded = foldText(label, { lines: 1, characters: 60 });
  return `${at + 1}. ${folded.shown} ${foldNote(folded)} (shown above)`;
}

async function askReview({ clack, common }: Prompt, question: Question): Promise<Answer> {
  const action = answered(
    clack,
    await clack.select<"approve" | "edit" | "reject">({
      ...common,
      message: "Approve this text?",
      options: [
        { value: "approve", label: "Approve" },
        { value: "edit", label: "Replace the text" },
        { value: "reject", label: "Reject" },
      ],
    }),
  );
  if (action === "approve") return { action };
  if (action === "edit") {
    const shown = toVisibleLine(question.content ?? "");
    const text = await clack.text({
      ...common,
      message: "The new text (⟨LF⟩ is a line break)",
      initialValue: isLong(shown) ? "" : shown,
    });
    return { action, content: fromVisibleText(answered(clack, text)) };
  }
  return {
    action,
    feedback: answered(
      clack,
      await clack.text({ ...common, message: "What is wrong with it?", defaultValue: "" }),
    ),
  };
}

/** Ctrl-C at a prompt cancels the question. */
function answered<T>(clack: Clack, value: T): Exclude<T, symbol> {
  if (clack.isCancel(value)) throw new ToolCancelledError("The question was dismissed.");
  return value as Exclude<T, symbol>;
}
