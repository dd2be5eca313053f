import type { ApprovalRequest, Question } from "../contract/ports/interact.js";
import { toVisibleLine, toVisibleText } from "./visible-text.js";
import { toVisibleValue } from "./visible-value.js";

/** The longest text that is put to a person without a way to page through it, in characters of its visible form. */
export const maxUnpagedText = 8000;

/** A request for consent as text, whole and in its visible form: who, what, why, and what would happen. */
export function toApprovalText(request: ApprovalRequest): string {
  const { preview, decision, reason } = request;
  const rule = reason.includes(decision.rule) ? "" : ` (rule ${toVisibleLine(decision.rule)})`;
  const agent = request.agent === "default" ? "default agent" : `agent ${toVisibleLine(request.agent)}`;
  return [
    `The ${agent} ${request.afterRun === true ? "ran" : "wants to call"} ${toVisibleLine(request.toolName)}`,
    askerOf(request),
    ...(request.fault === undefined ? [] : [`Asked again: ${toVisibleText(request.fault)}`]),
    ...(preview === undefined ? [] : [toVisibleText(preview.summary)]),
    ...section("Arguments", toVisibleValue(request.arguments) || "none"),
    ...(preview?.address === undefined ? [] : section("Address", toVisibleText(preview.address))),
    ...(preview?.commands === undefined || preview.commands.length === 0
      ? []
      : section("Commands", preview.commands.map((command) => `$ ${toVisibleLine(command)}`).join("\n"))),
    ...detailsOf(request),
    ...(preview?.diff === undefined
      ? []
      : section("Changes", toVisibleText(preview.diff).replace(/\n$/, ""))),
    `Why you are asked: ${toVisibleLine(reason)}${rule}`,
  ].join("\n");
}

function askerOf({ client, sessionId, taskId }: ApprovalRequest): string {
  const parts = [
    ...(client === undefined
      ? []
      : [[client.name, client.version].filter((part) => part !== undefined).join(" ")]),
    `session ${sessionId}`,
    ...(taskId === undefined ? [] : [`task ${taskId}`]),
  ];
  return `From ${parts.map(toVisibleLine).join(", ")}`;
}

/** Other contents of a preview; what is in the arguments already is not shown twice. */
function detailsOf({ preview, arguments: args }: ApprovalRequest): string[] {
  const given = Object.entries(Object(args) as object);
  const told = new Set(given.map(([name, value]) => JSON.stringify([name, value])));
  const texts = new Set(given.map(([, value]: [string, unknown]) => value));
  const news = Object.entries(preview?.details ?? {}).filter(
    ([name, value]) =>
      !told.has(JSON.stringify([name, value])) && !(typeof value === "string" && texts.has(value)),
  );
  return news.length === 0 ? [] : section("Details", toVisibleValue(Object.fromEntries(news)));
}

/** A question of a tool as text, whole and in its visible form. */
export function toQuestionText({ title, message, content }: Question): string {
  const asked = toVisibleText(title === undefined ? message : `${title}: ${message}`);
  return content === undefined ? asked : [asked, ...bars(toVisibleText(content))].join("\n");
}

/** Everything below a heading is after a bar, so that no text can imitate a heading. */
function section(heading: string, text: string): string[] {
  return [`${heading}:`, ...bars(text)];
}

function bars(text: string): string[] {
  return text.split("\n").map((line) => `│ ${line}`);
}
