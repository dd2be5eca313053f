import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toVisibleLine } from "../../../../src/text/visible-text.js";
import { ApiFault, change } from "../../api/request.js";
import type { ApprovalBody, PendingApproval } from "../../api/types.js";
import { useFeedStore } from "../../feed/use-feed.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { FoldGate, useFolds } from "../../text/fold-gate.js";
import { PlainText } from "../../text/plain-text.js";
import { RecordView } from "../../text/value-view.js";
import { Badge } from "../../ui/badge.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Facts, Section } from "../../ui/panel.js";
import { AnswerButtons } from "./answer-buttons.js";
import { Countdown } from "./countdown.js";
import { EditArguments } from "./edit-arguments.js";
import { PreviewView } from "./preview-view.js";
import { riskTone } from "./queue-list.js";
import { RefusalForm } from "./refusal-form.js";
import { type AnswerKey, useAnswerKeys } from "./use-answer-keys.js";

interface ApprovalPaneProps {
  readonly request: PendingApproval;
  /** Who asks, as the list names it. */
  readonly client: string;
  /** Requests of the same session that wait, this one among them. */
  readonly inSession: number;
  /** Something lies above the page: keys are not for it. */
  readonly quiet: boolean;
  /** Told who answered first, where somebody did. */
  readonly onLate: (message: string) => void;
}

/** One call that waits for consent: who, what, why, and the answers, which never leave the screen. */
export function ApprovalPane({ request, client, inSession, quiet, onLate }: ApprovalPaneProps) {
  const t = useText();
  const [doing, setDoing] = useState<"refuse" | "edit">();
  const { folded, report } = useFolds();
  const { send, refuseAll, busy, fault } = useAnswers(request, onLate);
  // Who edits what stands here would send the mark in the place of the secret.
  const isWhole = !JSON.stringify(request.arguments ?? null).includes("[redacted]");
  const canEdit = request.afterRun === true ? undefined : isWhole;
  const onKey = (key: AnswerKey): void => {
    if (key === "r") setDoing("refuse");
    else if (key === "e") setDoing(canEdit === true ? "edit" : undefined);
    else if (!folded && (key !== "A" || request.alwaysRule !== undefined)) send({ verdict: verdicts[key] });
  };
  const ripe = useAnswerKeys(!busy && !quiet && doing === undefined, onKey);
  return (
    <article
      data-card
      data-ripe={ripe}
      aria-label={t("approvals.title", { tool: toVisibleLine(request.toolName) })}
      className="flex min-h-0 flex-1 flex-col rounded-md border border-line bg-panel"
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <Badge tone={riskTone(request.risk)}>{t(`risk.${request.risk}`)}</Badge>
        <h2 className="font-semibold">
          <PlainText text={request.toolName} line />
        </h2>
        <span className="text-xs text-muted">
          <PlainText text={client} line />
        </span>
        <Countdown until={request.expiresAt} />
      </header>
      <FoldGate report={report}>
        <div
          className="min-h-0 flex-1 overflow-auto p-3"
          tabIndex={0}
          role="region"
          aria-label={t("approvals.what")}
        >
          <Details request={request} />
        </div>
      </FoldGate>
      <footer className="max-h-[60vh] shrink-0 overflow-auto border-t border-line px-3 py-2">
        <FaultNote fault={fault} />
        {doing === "refuse" && (
          <RefusalForm
            inSession={inSession}
            onCancel={() => setDoing(undefined)}
            onRefuse={(reason, all) => (all ? refuseAll(reason) : send(toRefusal(reason)))}
          />
        )}
        {doing === "edit" && (
          <EditArguments
            value={request.arguments}
            busy={busy}
            onAllow={(updatedArguments) => send({ verdict: "once", updatedArguments })}
            onCancel={() => setDoing(undefined)}
          />
        )}
        {doing === undefined && (
          <AnswerButtons
            busy={busy}
            folded={folded}
            canAlways={request.alwaysRule !== undefined}
            canEdit={canEdit}
            onAnswer={(verdict) => send({ verdict })}
            onEdit={() => setDoing("edit")}
            onRefuse={() => setDoing("refuse")}
          />
        )}
      </footer>
    </article>
  );
}

const verdicts = { a: "once", s: "session", A: "always" } as const;

function toRefusal(reason: string): ApprovalBody {
  return reason === "" ? { verdict: "no" } : { verdict: "no", reason };
}

/** Send answers; one that came too late takes the request away and says who was first. */
function useAnswers(request: PendingApproval, onLate: (message: string) => void) {
  const store = useFeedStore();
  const settled = (): void => store.answered(request.id);
  const onError = (fault: Error): void => {
    if (!(fault instanceof ApiFault) || (fault.status !== 409 && fault.status !== 404)) return;
    onLate(fault.message);
    settled();
  };
  const answer = useMutation({
    mutationFn: (body: ApprovalBody) =>
      change("POST", `/api/approvals/${encodeURIComponent(request.id)}`, body),
    onSuccess: settled,
    onError,
  });
  const refusal = useMutation({
    mutationFn: (reason: string) =>
      change("POST", "/api/approvals/refuse", {
        session: request.sessionId,
        ...(reason !== "" && { reason }),
      }),
    onSuccess: settled,
  });
  return {
    send: answer.mutate,
    refuseAll: refusal.mutate,
    busy: answer.isPending || refusal.isPending,
    fault: answer.error ?? refusal.error,
  };
}

function Details({ request }: { readonly request: PendingApproval }) {
  const t = useText();
  const wordOf = useWord();
  const { decision, reason, fault, client, approvedBy = [] } = request;
  const line = (key: string, text: string | undefined) =>
    text === undefined ? undefined : <PlainText key={key} text={text} line />;
  return (
    <>
      {fault !== undefined && (
        <p role="alert" className="mb-2 rounded border border-bad bg-bad-soft px-2 py-1 text-xs text-bad">
          <PlainText text={fault} />
        </p>
      )}
      <p className="mb-2 wrap-anywhere whitespace-pre-wrap">
        <PlainText text={reason} />
      </p>
      {(request.required ?? 1) > 1 && (
        <Section title={t("approvals.eyes")}>
          <Facts
            rows={[
              [
                t("approvals.eyes"),
                t("approvals.given", { given: approvedBy.length, required: request.required ?? 1 }),
              ],
              [
                t("approvals.by"),
                line(
                  "by",
                  approvedBy.map(({ person, principal }) => person ?? principal).join(", ") || undefined,
                ),
              ],
            ]}
          />
        </Section>
      )}
      <Section title={t("fact.arguments")}>
        <RecordView value={request.arguments} label={t("fact.arguments")} />
      </Section>
      {request.preview !== undefined && (
        <PreviewView
          preview={request.preview}
          shown={request.arguments}
          afterRun={request.afterRun === true}
        />
      )}
      <Section title={t("approvals.who")}>
        <Facts
          rows={[
            [
              t("fact.client"),
              line("client", client && [client.title ?? client.name, client.version].join(" ").trim()),
            ],
            [t("fact.agent"), line("agent", request.agent)],
            [t("fact.session"), line("session", request.sessionId)],
            [t("fact.task"), line("task", request.taskId)],
          ]}
        />
      </Section>
      <Section title={t("approvals.rule")}>
        <Facts
          rows={[
            [t("policy.rule"), line("rule", decision.rule)],
            [t("policy.source"), line("source", wordOf(decision.source))],
            [t("policy.reason"), decision.reason === reason ? undefined : line("reason", decision.reason)],
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
    </>
  );
}
