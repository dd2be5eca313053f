import type { ApprovalRequest } from "../contract/ports/interact.js";
import { printable } from "./output.js";

const maxLines = 60;

/** A request for consent in words for a person: what, why, by which rule, and what would happen. */
export function describeApproval(request: ApprovalRequest): string {
  const { preview, decision } = request;
  const lines = [
    `${request.agent} wants to call ${request.toolName}`,
    ...(preview === undefined ? [JSON.stringify(request.arguments)] : [preview.summary]),
    ...(preview?.address === undefined ? [] : [`Address: ${preview.address}`]),
    ...(preview?.commands ?? []).map((command) => `  $ ${command}`),
    ...(preview?.diff === undefined ? [] : firstLines(preview.diff)),
    `Why you are asked: ${request.reason}${request.reason.includes(decision.rule) ? "" : ` (rule ${decision.rule})`}`,
  ];
  return printable(lines.join("\n"));
}

function firstLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more lines`];
}
