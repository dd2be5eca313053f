import { useState } from "react";
import type { LogPage } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { toDuration, toTime } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { ResultView } from "../../text/result-view.js";
import { RecordView } from "../../text/value-view.js";
import { Badge, toneOf } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { ErrorView } from "../../ui/error-view.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Facts, Section } from "../../ui/panel.js";
import { UndoDialog } from "../changes/undo-dialog.js";
import { ReplayBox } from "./replay-box.js";

type LogRecord = LogPage["records"][number];

/** One call of the log in full, with what can be done about it. */
export function RecordPane({ id }: { readonly id: string }) {
  const t = useText();
  const query = useApi<LogRecord>(`/api/log/${encodeURIComponent(id)}`);
  const [undoing, setUndoing] = useState(false);
  const record = query.data;
  return (
    <aside
      aria-label={t("log.detail")}
      className="flex min-h-60 flex-1 flex-col overflow-auto rounded-md border border-line bg-panel p-3 lg:max-w-[45%] lg:min-w-80"
    >
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 truncate font-semibold">
          <PlainText text={record?.tool ?? id} />
        </h2>
        <Button onClick={() => setUndoing(true)}>{t("undo.this")}</Button>
        <a className="text-xs text-accent underline" href={hrefOf("log")}>
          {t("close")}
        </a>
      </div>
      <FaultNote fault={query.error} />
      {record !== undefined && <RecordBody record={record} />}
      <UndoDialog what={undoing ? { callId: id } : undefined} onClose={() => setUndoing(false)} />
    </aside>
  );
}

function RecordBody({ record }: { readonly record: LogRecord }) {
  const t = useText();
  const { decision } = record;
  return (
    <>
      <Facts
        rows={[
          [
            t("log.outcome"),
            <Badge key="outcome" tone={toneOf(record.outcome)}>
              {t(`outcome.${record.outcome}`)}
            </Badge>,
          ],
          [
            t("fact.call"),
            <span key="id" className="font-mono">
              {record.callId}
            </span>,
          ],
          [t("fact.time"), `${toTime(record.time)} · ${toDuration(record.durationMs)}`],
          [t("fact.agent"), <PlainText key="agent" text={record.agent} line />],
          [t("fact.session"), <PlainText key="session" text={record.sessionId} line />],
          [
            t("fact.task"),
            record.taskId === undefined ? undefined : <PlainText key="task" text={record.taskId} line />,
          ],
          [t("fact.parent"), record.parentCallId],
          [t("tools.versions"), record.version],
          [
            t("fact.decision"),
            decision === undefined ? undefined : (
              <span key="decision">
                <Badge tone={toneOf(decision.behavior)}>{decision.behavior}</Badge>{" "}
                <PlainText text={`${decision.rule} (${decision.source}): ${decision.reason}`} />
              </span>
            ),
          ],
          [
            t("log.hash"),
            <span key="hash" className="font-mono">
              {record.hash}
            </span>,
          ],
        ]}
      />
      <Section title={t("fact.arguments")}>
        <RecordView value={record.arguments} label={t("fact.arguments")} />
      </Section>
      {record.error !== undefined && (
        <Section title={t("fact.error")}>
          <ErrorView error={record.error} />
        </Section>
      )}
      {record.result !== undefined && (
        <Section title={t("fact.result")}>
          <ResultView value={record.result} label={t("fact.result")} />
        </Section>
      )}
      {record.resultDigest !== undefined && (
        <p className="mt-2 font-mono text-xs wrap-anywhere text-muted">sha256 {record.resultDigest.sha256}</p>
      )}
      {record.taskId !== undefined && <ReplayBox taskId={record.taskId} />}
    </>
  );
}
