import type { Answer, ApprovalAnswer, ApprovalRequest, Question } from "../../contract/ports/interact.js";
import type { ElicitAnswer } from "../../contract/ports/client.js";

import { maxUnpagedText, toApprovalText, toQuestionText } from "../../text/approval-text.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

type Form = Readonly<Record<string, unknown>>;

/** Whether all that a person must see before they consent fits into a form that a host shows. */
export function fitsApprovalForm(request: ApprovalRequest): boolean {
  return toApprovalText(request).length + toVisibleLine(request.alwaysRule ?? "").length <= maxUnpagedText;
}

/** Whether a question, with its text to review and its choices, fits into a form that a host shows. */
export function fitsQuestionForm(question: Question): boolean {
  const choices = (question.options ?? []).reduce((sum, option) => sum + toVisibleLine(option).length, 0);
  return toQuestionText(question).length + choices <= maxUnpagedText;
}

/** The form that asks for consent to a call, everything whole and in its visible form; see {@link fitsApprovalForm}. */
export function toApprovalForm(request: ApprovalRequest): Form {
  const choices = choicesOf(request);
  return {
    mode: "form",
    message: toApprovalText(request),
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
          description: "Sent to the agent if you do not allow the call.",
          maxLength: 1000,
        },
      },
      required: ["decision"],
    },
  };
}

/** Never "always": what lasts is for a person to say where no program can say it in their place. */
function choicesOf({ alwaysRule }: ApprovalRequest): readonly (readonly [string, string])[] {
  return [
    ["once", "Allow once"],
    ...(alwaysRule === undefined
      ? []
      : [["session", `For this session, ${toVisibleLine(alwaysRule)}`] as const]),
    ["no", "Do not allow"],
  ];
}

/** What the person chose; `undefined` where it is none of the choices, which is no answer at all. */
export function fromApprovalForm(request: ApprovalRequest, answer: ElicitAnswer): ApprovalAnswer | undefined {
  if (answer.action !== "accept") {
    return {
      verdict: "no",
      reason: answer.action === "cancel" ? "The person dismissed the question." : "The person declined.",
    };
  }
  const { decision, reason } = answer.content ?? {};
  if (reason !== undefined && typeof reason !== "string") return undefined;
  if (!choicesOf(request).some(([value]) => value === decision)) return undefined;
  if (decision === "once" || decision === "session") return { verdict: decision };
  return reason === undefined || reason === "" ? { verdict: "no" } : { verdict: "no", reason };
}

/** The form for a question of a tool. */
export function toQuestionForm(question: Question): Form {
  return {
    mode: "form",
    message: toQuestionText(question),
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
  if (question.kind !== "review") return { text: chosen(question, text("answer")) };
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
          description: "If you chose edit.",
          // A field cannot show what is invisible, so such a text is not handed out for editing.
          ...(content !== undefined && toVisibleText(content) === content && { default: content }),
        },
        feedback: comment,
      },
      required: ["action"],
    };
  }
  const listed = options !== undefined && options.length > 0;
  const shown = options?.map(toVisibleLine) ?? [];
  const presetShown = preset === undefined ? undefined : toVisibleLine(preset);
  return {
    properties: {
      answer: {
        type: "string",
        title: "Answer",
        ...(listed && { enum: shown }),
        ...(presetShown !== undefined &&
          (listed ? shown.includes(presetShown) : presetShown === preset) && { default: presetShown }),
      },
    },
    required: ["answer"],
  };
}

/** The choice that was meant: a host shows and returns the visible form. */
function chosen({ options, default: preset }: Question, given: string | undefined): string {
  if (given === undefined) return preset ?? "";
  return options?.find((option) => toVisibleLine(option) === given) ?? given;
}
