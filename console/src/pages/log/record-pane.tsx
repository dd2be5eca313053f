import { lazy, Suspense, useEffect, useState } from "react";
import { ApiFault } from "../../api/request.js";
import type { ShownRecord } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { LargeParts } from "../../text/large-parts.js";
import { PlainText } from "../../text/plain-text.js";
import { ResultView } from "../../text/result-view.js";
import { RecordView } from "../../text/value-view.js";
import { LinkButton } from "../../ui/button.js";
import { CopyButton } from "../../ui/copy-button.js";
import { ErrorView } from "../../ui/error-view.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Section } from "../../ui/panel.js";
import { UndoDialog } from "../changes/undo-dialog.js";
import { RecordActions } from "./record-actions.js";
import { RecordFacts } from "./record-facts.js";
import { ReplayBox } from "./replay-box.js";

const loadComparison = () => import("./compare-calls.js");
const CompareCalls = lazy(loadComparison);

interface RecordPaneProps {
  readonly id: string;
  /** The address without it. */
  readonly close: string;
  /** The call that it is compared with, or "". */
  readonly compare: string;
  readonly onCompare: (callId: string) => void;
}

/** One call of the log in full, with what can be done about it. */
export function RecordPane({ id, close, compare, onCompare }: RecordPaneProps) {
  const t = useText();
  const query = useApi<ShownRecord>(`/api/log/${encodeURIComponent(id)}/shown`);
  // Asked for together with it: the comparison is loaded when this one is there.
  useApi(`/api/log/${encodeURIComponent(compare)}/shown`, { enabled: compare !== "" });
  useEffect(() => {
    // Where its file is not there, the boundary around it tells so.
    if (compare !== "") loadComparison().catch(() => undefined);
  }, [compare]);
  const [undoing, setUndoing] = useState(false);
  const record = query.data;
  const isUnknown = query.error instanceof ApiFault && query.error.status === 404;
  return (
    <aside
      aria-label={t("log.detail")}
      className="flex min-h-60 flex-1 flex-col overflow-auto rounded-md border border-line bg-panel p-3 lg:max-w-[48%] lg:min-w-80"
    >
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 truncate font-semibold">
          <PlainText text={record?.tool ?? id} />
        </h2>
        <LinkButton look="quiet" href={close}>
          {t("close")}
        </LinkButton>
      </div>
      {isUnknown ? <Empty>{t("call.unknown")}</Empty> : <FaultNote fault={query.error} />}
      {record !== undefined && (
        <>
          <RecordActions
            record={record}
            compare={compare}
            onCompare={onCompare}
            onUndo={() => setUndoing(true)}
          />
          {compare !== "" && compare !== record.callId ? (
            <Suspense fallback={<p className="text-muted">{t("loading")}</p>}>
              <CompareCalls record={record} other={compare} />
            </Suspense>
          ) : (
            <RecordBody record={record} />
          )}
        </>
      )}
      <UndoDialog what={undoing ? { callId: id } : undefined} onClose={() => setUndoing(false)} />
    </aside>
  );
}

function RecordBody({ record }: { readonly record: ShownRecord }) {
  const t = useText();
  const large = (of: "arguments" | "result") => record.large.filter((part) => part.of === of);
  return (
    <>
      <RecordFacts record={record} />
      <Section
        title={t("fact.arguments")}
        actions={<CopyButton text={JSON.stringify(record.arguments, null, 2)} name={t("fact.arguments")} />}
      >
        <RecordView value={record.arguments} label={t("fact.arguments")} />
        <LargeParts id={record.callId} parts={large("arguments")} />
      </Section>
      {record.error !== undefined && (
        <Section title={t("fact.error")}>
          <ErrorView error={record.error} />
        </Section>
      )}
      {record.result !== undefined && (
        <Section title={t("fact.result")}>
          <LargeParts id={record.callId} parts={large("result")} />
          <ResultView value={record.result} label={t("fact.result")} />
        </Section>
      )}
      {record.taskId !== undefined && <ReplayBox taskId={record.taskId} />}
    </>
  );
}
