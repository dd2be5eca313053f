import { useEffect, useRef, useState } from "react";
import type { PendingApproval, PendingQuestion } from "../api/types.js";
import { useText } from "../i18n/use-text.js";
import { usePageTitle } from "../i18n/page-title.js";
import type { PageName } from "../pages.js";
import { hrefOf, navigate } from "../route.js";
import { foldNote, foldText, toVisibleLine } from "../../../src/text/visible-text.js";

interface AttentionProps {
  readonly page: PageName | undefined;
  readonly approvals: readonly PendingApproval[];
  readonly questions: readonly PendingQuestion[];
}

/** Tells that something waits: in the title, to screen readers, and by a notification where it is permitted. */
export function Attention({ page, approvals, questions }: AttentionProps) {
  const t = useText();
  const titleOf = usePageTitle();
  const seen = useRef(new Set<string>());
  const [said, setSaid] = useState("");
  const count = approvals.length + questions.length;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${page === undefined ? t("unknown.title") : titleOf(page)} · Tenon`;
  }, [count, page, t, titleOf]);
  useEffect(() => {
    const fresh = [
      ...approvals.map(({ id, toolName, preview, reason }) => ({
        id,
        toolName,
        text: preview?.summary ?? reason,
      })),
      ...questions.map(({ id, toolName, question }) => ({ id, toolName, text: question.message })),
    ].filter(({ id }) => !seen.current.has(id));
    for (const { id, toolName, text } of fresh) {
      seen.current.add(id);
      const message = t("attention.waits", { tool: toVisibleLine(toolName) });
      setSaid(message);
      const folded = foldText(toVisibleLine(text), { lines: 1, characters: 200 });
      notify(message, `${folded.shown} ${foldNote(folded)}`.trimEnd(), id);
    }
  }, [approvals, questions, t]);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}

function notify(title: string, body: string, tag: string): void {
  if (!("Notification" in window) || Notification.permission !== "granted" || document.hasFocus()) return;
  const note = new Notification(title, { body, tag });
  note.addEventListener("click", () => {
    window.focus();
    navigate(hrefOf("approvals", tag));
    note.close();
  });
}
