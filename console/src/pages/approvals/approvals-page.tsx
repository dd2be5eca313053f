import { useEffect, useRef, useState } from "react";
import type { PendingApproval, PendingQuestion } from "../../api/types.js";
import { useFeed } from "../../feed/use-feed.js";
import { useText } from "../../i18n/use-text.js";
import { Empty } from "../../ui/panel.js";
import { ApprovalCard } from "./approval-card.js";
import { QuestionCard } from "./question-card.js";

/** All that waits for a person: consent and questions, oldest first. */
export default function ApprovalsPage() {
  const t = useText();
  const approvals = useFeed((state) => state.approvals);
  const questions = useFeed((state) => state.questions);
  const items: readonly Item[] = [
    ...approvals.map((approval) => ({ id: approval.id, approval })),
    ...questions.map((question) => ({ id: question.id, question })),
  ];
  const { chosen, choose, listRef } = useMoving(items.map(({ id }) => id));
  if (items.length === 0) return <Empty>{t("approvals.none")}</Empty>;
  return (
    <div className="flex max-w-4xl flex-col gap-3">
      <p className="text-xs text-muted">{t("approvals.keys")}</p>
      <ul ref={listRef} className="flex flex-col gap-3">
        {items.map((item) => (
          <li key={item.id} data-item={item.id} onFocus={() => choose(item.id)}>
            {item.approval !== undefined && (
              <ApprovalCard request={item.approval} active={item.id === chosen} />
            )}
            {item.question !== undefined && (
              <QuestionCard pending={item.question} active={item.id === chosen} />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Item {
  readonly id: string;
  readonly approval?: PendingApproval;
  readonly question?: PendingQuestion;
}

/** `j` and `k` move from card to card; when the chosen one goes, the next takes its place. */
function useMoving(ids: readonly string[]) {
  const [wanted, setWanted] = useState<string>();
  const listRef = useRef<HTMLUListElement>(null);
  const chosen = wanted !== undefined && ids.includes(wanted) ? wanted : ids[0];
  const state = useRef({ ids, chosen });
  state.current = { ids, chosen };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || (event.key !== "j" && event.key !== "k")) return;
      const { ids: all, chosen: now } = state.current;
      const at = all.indexOf(now ?? "") + (event.key === "j" ? 1 : -1);
      const next = all[Math.max(0, Math.min(all.length - 1, at))];
      if (next === undefined) return;
      event.preventDefault();
      setWanted(next);
      focusCard(listRef.current, next);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return { chosen, choose: setWanted, listRef };
}

function focusCard(list: HTMLUListElement | null, id: string): void {
  const card = list?.querySelector<HTMLElement>(`[data-item="${CSS.escape(id)}"] [data-card]`);
  card?.focus();
  card?.scrollIntoView({ block: "nearest" });
}

/** Whether a key goes into a text, or belongs to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  return (
    event.target instanceof HTMLElement && event.target.matches("input, textarea, select, [contenteditable]")
  );
}
