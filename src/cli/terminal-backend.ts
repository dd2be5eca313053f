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
import { describeApproval } from "./describe-approval.js";
import type { Terminal } from "./command-line.js";
import { printable } from "./output.js";

type Clack = typeof clackPrompts;

interface Prompt {
  readonly clack: Clack;
  /** Where the prompt is drawn, and what ends it early. */
  readonly common: { input: Readable; output: Writable; signal: AbortSignal };
}

/** Asks the person at the terminal, one question at a time, on standard error so that the answer stays clean. */
export function createTerminalBackend(terminal: Terminal): InteractBackend {
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(signal: AbortSignal, ask: (prompt: Prompt) => Promise<T>): Promise<T> => {
    const asking = turn.then(async () => {
      signal.throwIfAborted();
      const clack = await import("@clack/prompts");
      const common = { input: terminal.stdin as Readable, output: terminal.stderr as Writable, signal };
      return ask({ clack, common });
    });
    turn = asking.catch(() => undefined); // a failed question must not block the next one
    return asking;
  };
  return {
    name: "terminal",
    channel: "terminal",
    available: () => terminal.stdin.isTTY === true && terminal.stderr.isTTY === true,
    ask: (question, signal) => inTurn(signal, (prompt) => askQuestion(prompt, question)),
    approve: (request, signal) => inTurn(signal, (prompt) => askApproval(prompt, request, terminal)),
  };
}

async function askApproval(
  { clack, common }: Prompt,
  request: ApprovalRequest,
  terminal: Terminal,
): Promise<ApprovalAnswer> {
  terminal.stderr.write(`\n${describeApproval(request)}\n`);
  const verdict = answered(
    clack,
    await clack.select<"once" | "session" | "always" | "change" | "no">({
      ...common,
      message: "May it go on?",
      initialValue: "no",
      options: [
        { value: "once", label: "Yes, once" },
        { value: "session", label: "Yes, for this session" },
        {
          value: "always",
          label: "Always",
          ...(request.alwaysRule !== undefined && { hint: printable(request.alwaysRule) }),
        },
        { value: "change", label: "Yes, with other arguments" },
        { value: "no", label: "No" },
      ],
    }),
  );
  if (verdict === "no") {
    const reason = answered(
      clack,
      await clack.text({
        ...common,
        message: "Why? (the model gets to read it)",
        placeholder: "optional",
        defaultValue: "",
      }),
    );
    return reason === "" ? { verdict } : { verdict, reason };
  }
  if (verdict !== "change") return { verdict };
  return { verdict: "once", updatedArguments: await askArguments({ clack, common }, request.arguments) };
}

async function askArguments({ clack, common }: Prompt, present: unknown): Promise<unknown> {
  const text = answered(
    clack,
    await clack.text({
      ...common,
      message: "Arguments as JSON",
      initialValue: JSON.stringify(present),
      validate: (value) => (isJson(value ?? "") ? undefined : "That is no JSON."),
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

async function askQuestion({ clack, common }: Prompt, question: Question): Promise<Answer> {
  const message = printable(
    question.title === undefined ? question.message : `${question.title}: ${question.message}`,
  );
  if (question.kind === "confirm") {
    return { approved: answered(clack, await clack.confirm({ ...common, message })) };
  }
  if (question.kind === "review") return askReview({ clack, common }, { ...question, message });
  if (question.options === undefined) {
    const preset =
      question.default === undefined ? {} : { defaultValue: question.default, placeholder: question.default };
    return { text: answered(clack, await clack.text({ ...common, message, ...preset })) };
  }
  return askChoice({ clack, common }, message, question.options);
}

async function askChoice(
  { clack, common }: Prompt,
  message: string,
  choices: readonly string[],
): Promise<Answer> {
  const other = choices.length;
  const options = [
    ...choices.map((label, value) => ({ value, label: printable(label) })),
    { value: other, label: "Something else…" },
  ];
  const chosen = answered(clack, await clack.select({ ...common, message, options }));
  if (chosen !== other) return { text: choices[chosen] ?? "" };
  return { text: answered(clack, await clack.text({ ...common, message })) };
}

async function askReview({ clack, common }: Prompt, question: Question): Promise<Answer> {
  common.output.write(`\n${printable(question.content ?? "")}\n`);
  const action = answered(
    clack,
    await clack.select<"approve" | "edit" | "reject">({
      ...common,
      message: question.message,
      options: [
        { value: "approve", label: "Approve" },
        { value: "edit", label: "Replace the text" },
        { value: "reject", label: "Reject" },
      ],
    }),
  );
  if (action === "approve") return { action };
  if (action === "edit") {
    const initialValue = question.content ?? "";
    return {
      action,
      content: answered(clack, await clack.text({ ...common, message: "The new text", initialValue })),
    };
  }
  return {
    action,
    feedback: answered(
      clack,
      await clack.text({ ...common, message: "What is wrong with it?", defaultValue: "" }),
    ),
  };
}

/** Ctrl-C at a prompt is no answer. */
function answered<T>(clack: Clack, value: T): Exclude<T, symbol> {
  if (clack.isCancel(value)) throw new ToolCancelledError("The person closed the question.");
  return value as Exclude<T, symbol>;
}
