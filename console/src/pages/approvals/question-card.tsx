import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { change } from "../../api/request.js";
import type { PendingQuestion, QuestionBody } from "../../api/types.js";
import { useFeedStore } from "../../feed/use-feed.js";
import { useText } from "../../i18n/use-text.js";
import { toVisibleLine } from "../../../../src/text/visible-text.js";
import { FoldedText } from "../../text/folded-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Countdown } from "./countdown.js";
import { ReviewForm } from "./review-form.js";

interface AnswerProps {
  readonly pending: PendingQuestion;
  readonly send: (body: QuestionBody) => void;
}

/** A question of a tool, with the kind of answer that it asks for. */
export function QuestionCard({
  pending,
  active,
}: {
  readonly pending: PendingQuestion;
  readonly active: boolean;
}) {
  const t = useText();
  const store = useFeedStore();
  const answer = useMutation({
    mutationFn: (body: QuestionBody) =>
      change("POST", `/api/questions/${encodeURIComponent(pending.id)}`, body),
    onSuccess: () => store.answered(pending.id),
  });
  const { question } = pending;
  return (
    <article
      data-card
      data-active={active}
      tabIndex={-1}
      aria-label={t("question.title", { tool: toVisibleLine(pending.toolName) })}
      className="flex min-h-0 flex-col overflow-auto rounded-md border border-line bg-panel"
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <Badge tone="info">{t(`question.${question.kind}`)}</Badge>
        <h2 className="font-semibold">
          <PlainText text={question.title ?? pending.toolName} line />
        </h2>
        {pending.agent !== undefined && (
          <span className="text-xs text-muted">
            <PlainText text={pending.agent} line />
          </span>
        )}
        <Countdown until={pending.expiresAt} />
      </header>
      <div className="flex flex-col gap-3 p-3">
        <p className="wrap-anywhere whitespace-pre-wrap">
          <FoldedText text={question.message} limit={16_000} />
        </p>
        <FaultNote fault={answer.error} />
        {question.kind === "confirm" && <ConfirmForm send={answer.mutate} />}
        {question.kind === "review" && <ReviewForm question={question} send={answer.mutate} />}
        {(question.kind === "ask" || question.kind === "input") && (
          <TextForm pending={pending} send={answer.mutate} />
        )}
        <div>
          <Button look="quiet" disabled={answer.isPending} onClick={() => answer.mutate({ declined: true })}>
            {t("question.decline")}
          </Button>
        </div>
      </div>
    </article>
  );
}

function ConfirmForm({ send }: Pick<AnswerProps, "send">) {
  const t = useText();
  const [text, setText] = useState("");
  const said = text.trim() === "" ? {} : { text: text.trim() };
  return (
    <div className="flex flex-wrap gap-2">
      <input
        className="field min-w-40 flex-1"
        aria-label={t("question.note")}
        placeholder={t("question.note")}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button look="main" onClick={() => send({ approved: true, ...said })}>
        {t("question.yes")}
      </Button>
      <Button look="danger" onClick={() => send({ approved: false, ...said })}>
        {t("question.no")}
      </Button>
    </div>
  );
}

function TextForm({ pending, send }: AnswerProps) {
  const t = useText();
  const { options, default: preset } = pending.question;
  const [text, setText] = useState(preset ?? "");
  const field = useId();
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send({ text });
      }}
    >
      {options !== undefined && (
        <div className="flex flex-wrap gap-2" role="group" aria-label={t("question.options")}>
          {options.map((option) => (
            <Button key={option} onClick={() => send({ text: option })}>
              <PlainText text={option} />
            </Button>
          ))}
        </div>
      )}
      <div className="flex gap-2">
        <textarea
          id={field}
          rows={1}
          className="field min-w-0 flex-1"
          aria-label={options === undefined ? t("question.answer") : t("question.other")}
          placeholder={options === undefined ? t("question.answer") : t("question.other")}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button look="main" type="submit">
          {t("question.send")}
        </Button>
      </div>
    </form>
  );
}
