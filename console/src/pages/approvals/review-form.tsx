import { useState } from "react";
import type { PendingQuestion, QuestionBody } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { fromVisibleText, toVisibleText } from "../../../../src/text/visible-text.js";
import { FoldGate, useFolds } from "../../text/fold-gate.js";
import { TextBlock } from "../../text/text-block.js";
import { Button } from "../../ui/button.js";

interface ReviewFormProps {
  readonly question: PendingQuestion["question"];
  readonly send: (body: QuestionBody) => void;
}

/** A text to approve as it is, to change, or to reject with feedback. */
export function ReviewForm({ question, send }: ReviewFormProps) {
  const t = useText();
  const original = question.content ?? "";
  // Edited in its visible form: a text field would hide what cannot be seen.
  const [draft, setDraft] = useState<string>();
  const [feedback, setFeedback] = useState("");
  const said = feedback.trim() === "" ? {} : { feedback: feedback.trim() };
  const content = draft === undefined ? original : fromVisibleText(draft);
  const edited = content !== original;
  const { folded, report } = useFolds();
  return (
    <div className="flex flex-col gap-2">
      {draft === undefined ? (
        <FoldGate report={report}>
          <TextBlock text={original} label={t("question.content")} />
        </FoldGate>
      ) : (
        <textarea
          className="field h-72 font-mono text-xs"
          aria-label={t("question.content")}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
      )}
      <input
        className="field"
        aria-label={t("question.feedback")}
        placeholder={t("question.feedback")}
        value={feedback}
        onChange={(event) => setFeedback(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          look="main"
          disabled={folded}
          onClick={() => send(edited ? { action: "edit", content, ...said } : { action: "approve", ...said })}
        >
          {edited ? t("question.sendEdit") : t("question.approve")}
        </Button>
        {draft === undefined ? (
          <Button onClick={() => setDraft(toVisibleText(original))}>{t("question.edit")}</Button>
        ) : (
          <Button onClick={() => setDraft(undefined)}>{t("question.undoEdit")}</Button>
        )}
        <Button look="danger" onClick={() => send({ action: "reject", ...said })}>
          {t("question.reject")}
        </Button>
      </div>
      {folded && <p className="text-xs text-warn">{t("approvals.folded")}</p>}
    </div>
  );
}
