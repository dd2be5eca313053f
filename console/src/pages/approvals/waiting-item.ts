import type { PendingApproval, PendingQuestion } from "../../api/types.js";
import { toVisibleLine } from "../../../../src/text/visible-text.js";
import { toShort } from "../../text/value-view.js";

/** Something that waits for a person. */
export interface WaitingItem {
  readonly id: string;
  readonly approval?: PendingApproval;
  readonly question?: PendingQuestion;
  readonly toolName: string;
  readonly sessionId: string;
  /** The program that asks, as it calls itself, or the agent where it has no name. */
  readonly client: string;
  readonly since: number;
  /** What it is about, in one line. */
  readonly summary: string;
}

/** Rows that belong together stand below a heading. */
export type QueueRow =
  | { readonly id: string; readonly item: WaitingItem }
  | { readonly id: string; readonly heading: string; readonly count: number };

export const groupings = ["none", "client", "session", "tool"] as const;

export type Grouping = (typeof groupings)[number];

/** All that waits, oldest first. */
export function toItems(
  approvals: readonly PendingApproval[],
  questions: readonly PendingQuestion[],
): readonly WaitingItem[] {
  const items = [...approvals.map(ofApproval), ...questions.map(ofQuestion)];
  return items.sort((one, other) => one.since - other.since);
}

function ofApproval(approval: PendingApproval): WaitingItem {
  const { id, toolName, sessionId, agent, client, requestedAt, preview, reason } = approval;
  const version = client?.version === undefined ? "" : ` ${client.version}`;
  return {
    id,
    approval,
    toolName,
    sessionId,
    client: client === undefined ? agent : `${client.name}${version}`,
    since: requestedAt,
    summary: [preview?.summary ?? reason, toShort(approval.arguments)]
      .filter((text) => text !== "")
      .join(" · "),
  };
}

function ofQuestion(question: PendingQuestion): WaitingItem {
  const { id, toolName, sessionId, agent = "", askedAt } = question;
  const { message, title } = question.question;
  return { id, question, toolName, sessionId, client: agent, since: askedAt, summary: title ?? message };
}

/** Whether a text stands in what a person knows an item by. */
export function fitsSearch(item: WaitingItem, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  if (wanted === "") return true;
  const known = [item.toolName, item.client, item.sessionId, item.summary, item.approval?.agent ?? ""];
  return known.some((text) => text.toLowerCase().includes(wanted));
}

/** The rows of the list, with headings where it is grouped. */
export function toRows(items: readonly WaitingItem[], grouping: Grouping): readonly QueueRow[] {
  if (grouping === "none") return items.map((item) => ({ id: item.id, item }));
  const groups = new Map<string, WaitingItem[]>();
  for (const item of items) {
    const key = { client: item.client, session: item.sessionId, tool: item.toolName }[grouping];
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups].flatMap(([key, members]): QueueRow[] => [
    { id: `heading:${key}`, heading: toVisibleLine(key), count: members.length },
    ...members.map((item) => ({ id: item.id, item })),
  ]);
}
