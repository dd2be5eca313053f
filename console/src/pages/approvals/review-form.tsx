import { useState } from "react";
import type { PendingQuestion, QuestionBody } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
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
  const [content, setContent] = useState<string>();
  const [feedback, setFeedback] = useState("");
  const said = feedback.trim() === "" ? {} : { feedback: feedback.trim() };
  const edited = content !== undefined && content !== original;
  return (
    <div className="flex flex-col gap-2">
      {content === undefined ? (
        <TextBlock text={original} label={t("question.content")} />
      ) : (
        <textarea
          className="field h-72 font-mono text-xs"
          aria-label={t("question.content")}
          value={content}
          onChange={(event) => setContent(event.target.value)}
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
          onClick={() => send(edited ? { action: "edit", content, ...said } : { action: "approve", ...said })}
        >
          {edited ? t("question.sendEdit") : t("question.approve")}
        </Button>
        {content === undefined ? (
          <Button onClick={() => setContent(original)}>{t("question.edit")}</Button>
        ) : (
          <Button onClick={() => setContent(undefined)}>{t("question.undoEdit")}</Button>
        )}
        <Button look="danger" onClick={() => send({ action: "reject", ...said })}>
          {t("question.reject")}
        </Button>
      </div>
    </div>
  );
}
