import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { change } from "../../api/request.js";
import type { ApprovalBody, PendingApproval } from "../../api/types.js";
import { useFeedStore } from "../../feed/use-feed.js";
import { useText } from "../../i18n/use-text.js";
import { toVisibleLine } from "../../../../src/text/visible-text.js";
import { FoldGate, useFolds } from "../../text/fold-gate.js";
import { PlainText } from "../../text/plain-text.js";
import { RecordView } from "../../text/value-view.js";
import { Badge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Facts, Section } from "../../ui/panel.js";
import { Countdown } from "./countdown.js";
import { PreviewView } from "./preview-view.js";
import { useAnswerKeys } from "./use-answer-keys.js";

const verdicts = { o: "once", s: "session", a: "always" } as const;

/** One call that waits for consent: what, why, by which rule, and the four answers. */
export function ApprovalCard({
  request,
  active,
}: {
  readonly request: PendingApproval;
  readonly active: boolean;
}) {
  const t = useText();
  const store = useFeedStore();
  const [refusing, setRefusing] = useState(false);
  const answer = useMutation({
    mutationFn: (body: ApprovalBody) =>
      change("POST", `/api/approvals/${encodeURIComponent(request.id)}`, body),
    onSuccess: () => store.answered(request.id),
  });
  const { folded, report } = useFolds();
  const ripe = useAnswerKeys(active && !answer.isPending, (key) => {
    if (key === "n") setRefusing(true);
    else if (folded) return;
    else if (key !== "a" || request.alwaysRule !== undefined) answer.mutate({ verdict: verdicts[key] });
  });
  const title = t("approvals.title", { tool: toVisibleLine(request.toolName) });
  return (
    <article
      data-card
      data-active={active}
      data-ripe={ripe}
      tabIndex={-1}
      aria-label={title}
      className="rounded-md border border-line bg-panel data-[active=true]:border-accent data-[active=true]:ring-1 data-[active=true]:ring-accent"
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <Badge tone="warn">{t("approvals.consent")}</Badge>
        <h2 className="font-semibold">
          <PlainText text={request.toolName} line />
        </h2>
        <span className="text-xs text-muted">
          <PlainText text={request.agent} line />
        </span>
        <Countdown until={request.expiresAt} />
      </header>
      <FoldGate report={report}>
        <div className="p-3">
          <p className="mb-2 wrap-anywhere whitespace-pre-wrap">
            <PlainText text={request.reason} />
          </p>
          {request.preview !== undefined && <PreviewView preview={request.preview} />}
          <Section title={t("fact.arguments")}>
            <RecordView value={request.arguments} label={t("fact.arguments")} />
          </Section>
          <Section title={t("approvals.rule")}>
            <Facts
              rows={[
                [t("policy.rule"), <PlainText key="rule" text={request.decision.rule} line />],
                [t("policy.source"), <PlainText key="source" text={request.decision.source} line />],
                [
                  t("policy.reason"),
                  request.decision.reason === request.reason ? undefined : (
                    <PlainText key="reason" text={request.decision.reason} />
                  ),
                ],
                [
                  t("approvals.always"),
                  request.alwaysRule === undefined ? undefined : (
                    <code key="always">
                      <PlainText text={request.alwaysRule} />
                    </code>
                  ),
                ],
              ]}
            />
          </Section>
        </div>
      </FoldGate>
      <footer className="border-t border-line px-3 py-2">
        <FaultNote fault={answer.error} />
        {refusing ? (
          <Refusal
            onCancel={() => setRefusing(false)}
            onRefuse={(reason) =>
              answer.mutate(reason === "" ? { verdict: "no" } : { verdict: "no", reason })
            }
          />
        ) : (
          <div className="flex flex-wrap gap-2">
            <Button
              look="main"
              disabled={answer.isPending || folded}
              onClick={() => answer.mutate({ verdict: "once" })}
            >
              {t("approvals.once")} <Key name="o" />
            </Button>
            <Button
              disabled={answer.isPending || folded}
              onClick={() => answer.mutate({ verdict: "session" })}
            >
              {t("approvals.session")} <Key name="s" />
            </Button>
            {request.alwaysRule !== undefined && (
              <Button
                disabled={answer.isPending || folded}
                onClick={() => answer.mutate({ verdict: "always" })}
              >
                {t("approvals.alwaysDo")} <Key name="a" />
              </Button>
            )}
            <Button look="danger" disabled={answer.isPending} onClick={() => setRefusing(true)}>
              {t("approvals.no")} <Key name="n" />
            </Button>
            {folded && <p className="self-center text-xs text-warn">{t("approvals.folded")}</p>}
          </div>
        )}
      </footer>
    </article>
  );
}

function Refusal({
  onRefuse,
  onCancel,
}: {
  readonly onRefuse: (reason: string) => void;
  readonly onCancel: () => void;
}) {
  const t = useText();
  const [reason, setReason] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      className="flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onRefuse(reason.trim());
      }}
      onKeyDown={(event) => event.key === "Escape" && onCancel()}
    >
      <input
        ref={input}
        className="field min-w-40 flex-1"
        aria-label={t("approvals.reason")}
        placeholder={t("approvals.reason")}
        value={reason}
        maxLength={10_000}
        onChange={(event) => setReason(event.target.value)}
      />
      <Button look="danger" type="submit">
        {t("approvals.refuse")}
      </Button>
      <Button onClick={onCancel}>{t("cancel")}</Button>
    </form>
  );
}

function Key({ name }: { readonly name: string }) {
  return (
    <kbd aria-hidden="true" className="rounded border border-current px-1 font-mono text-[10px] leading-3.5">
      {name}
    </kbd>
  );
}
