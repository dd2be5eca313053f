import type { Answer, ApprovalAnswer, ApprovalRequest, Question } from "../../contract/ports/interact.js";
import type { ElicitAnswer } from "../../contract/ports/client.js";

type Form = Readonly<Record<string, unknown>>;

const mostArguments = 2000;
const mostPreview = 6000;

/** The form that asks for consent to a call. */
export function toApprovalForm(request: ApprovalRequest): Form {
  const { alwaysRule } = request;
  const choices: readonly (readonly [string, string])[] = [
    ["once", "Allow once"],
    ["session", "Allow for this session"],
    ...(alwaysRule === undefined ? [] : [["always", `Always allow: ${clip(alwaysRule, 200)}`] as const]),
    ["no", "Do not allow"],
  ];
  return {
    mode: "form",
    message: describe(request),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          enum: choices.map(([value]) => value),
          enumNames: choices.map(([, label]) => label),
          default: "no",
        },
        reason: {
          type: "string",
          title: "Reason",
          description: "Told to the agent where you do not allow it.",
          maxLength: 1000,
        },
      },
      required: ["decision"],
    },
  };
}

/** What the person chose; anything but a clear yes is a no. */
export function fromApprovalForm(answer: ElicitAnswer): ApprovalAnswer {
  if (answer.action !== "accept") {
    return {
      verdict: "no",
      reason: answer.action === "cancel" ? "The person dismissed the question." : "The person declined.",
    };
  }
  const { decision, reason } = answer.content ?? {};
  if (decision === "once" || decision === "session" || decision === "always") return { verdict: decision };
  return typeof reason === "string" && reason !== "" ? { verdict: "no", reason } : { verdict: "no" };
}

/** The form for a question of a tool. */
export function toQuestionForm(question: Question): Form {
  const title = question.title === undefined ? "" : `${question.title}\n\n`;
  const content = question.content === undefined ? "" : `\n\n${clip(question.content, mostPreview)}`;
  return {
    mode: "form",
    message: `${title}${question.message}${content}`,
    requestedSchema: { type: "object", ...fieldsOf(question) },
  };
}

/** The person's answer in the words of the question's kind. */
export function fromQuestionForm(question: Question, answer: ElicitAnswer): Answer | undefined {
  const content = answer.content ?? {};
  const text = (key: string): string | undefined => {
    const value = content[key];
    return typeof value === "string" ? value : undefined;
  };
  if (answer.action !== "accept") {
    if (question.kind === "confirm") return { approved: false };
    if (question.kind === "review")
      return { action: "reject", ...(question.content !== undefined && { content: question.content }) };
    return undefined;
  }
  const feedback = text("feedback");
  if (question.kind === "confirm") {
    return { approved: content["approved"] === true, ...(feedback !== undefined && { text: feedback }) };
  }
  if (question.kind !== "review") return { text: text("answer") ?? question.default ?? "" };
  const action = text("action");
  return {
    action: action === "approve" || action === "edit" ? action : "reject",
    content: (action === "edit" ? text("content") : undefined) ?? question.content ?? "",
    ...(feedback !== undefined && { feedback }),
  };
}

function fieldsOf({ kind, options, default: preset, content }: Question): Form {
  const comment = { type: "string", title: "Comment" };
  if (kind === "confirm") {
    return {
      properties: { approved: { type: "boolean", title: "Approve", default: false }, feedback: comment },
      required: ["approved"],
    };
  }
  if (kind === "review") {
    return {
      properties: {
        action: { type: "string", title: "Verdict", enum: ["approve", "edit", "reject"] },
        content: {
          type: "string",
          title: "New text",
          description: "Where you chose edit.",
          ...(content !== undefined && content.length <= mostPreview && { default: content }),
        },
        feedback: comment,
      },
      required: ["action"],
    };
  }
  const listed = options !== undefined && options.length > 0;
  return {
    properties: {
      answer: {
        type: "string",
        title: "Answer",
        ...(listed && { enum: [...options] }),
        ...(preset !== undefined && (!listed || options.includes(preset)) && { default: preset }),
      },
    },
    required: ["answer"],
  };
}

function describe({ toolName, arguments: args, reason, preview, agent }: ApprovalRequest): string {
  const shown = [
    `${agent} wants to use ${toolName}.`,
    `Why you are asked: ${reason}`,
    ...(preview === undefined ? [] : [`What it would do: ${preview.summary}`]),
    ...(preview?.commands === undefined
      ? []
      : [`Commands:\n${clip(preview.commands.join("\n"), mostPreview)}`]),
    ...(preview?.address === undefined ? [] : [`Address: ${preview.address}`]),
    ...(preview?.diff === undefined ? [] : [`Changes:\n${clip(preview.diff, mostPreview)}`]),
    `Arguments: ${clip(JSON.stringify(args) ?? "none", mostArguments)}`,
  ];
  return shown.join("\n\n");
}

/** Cut in the middle, so that neither the start nor the end can be pushed out of sight. */
function clip(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}
