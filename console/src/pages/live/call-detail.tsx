import { useMutation } from "@tanstack/react-query";
import { change } from "../../api/request.js";
import type { ShownRecord } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { serverClock } from "../../api/server-clock.js";
import type { Call } from "../../feed/feed-state.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { useDuration } from "../../text/format.js";
import { LargeParts } from "../../text/large-parts.js";
import { PlainText } from "../../text/plain-text.js";
import { ResultView } from "../../text/result-view.js";
import { TextBlock } from "../../text/text-block.js";
import { TimeView } from "../../text/time-view.js";
import { RecordView } from "../../text/value-view.js";
import { Badge, toneOf } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { CopyButton } from "../../ui/copy-button.js";
import { ErrorView } from "../../ui/error-view.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Facts, Section } from "../../ui/panel.js";
import { stagesOf } from "./stages-of.js";

/** One call in full, with its output as it comes. */
export default function CallDetail({ call, onClose }: { readonly call: Call; readonly onClose: () => void }) {
  const t = useText();
  const cancel = useMutation({
    mutationFn: () => change("POST", `/api/calls/${encodeURIComponent(call.callId)}/cancel`),
  });
  const ended = call.endedAt !== undefined;
  return (
    <aside
      aria-label={t("live.detail")}
      className="flex min-h-60 flex-1 flex-col overflow-auto rounded-md border border-line bg-panel p-3 lg:max-w-[42%] lg:min-w-80"
    >
      <div className="mb-2 flex items-center gap-2">
        <h2 className="min-w-0 flex-1 truncate font-semibold">
          <PlainText text={call.toolName} line />
        </h2>
        <Badge tone={toneOf(call.state)}>{t(`state.${call.state}`)}</Badge>
        {!ended && (
          <Button look="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            {t("live.cancel")}
          </Button>
        )}
        <Button look="quiet" onClick={onClose}>
          {t("close")}
        </Button>
      </div>
      <FaultNote fault={cancel.error} />
      <Facts
        rows={[
          [
            t("fact.call"),
            <span key="id" className="font-mono">
              {call.callId} <CopyButton text={call.callId} name={t("fact.call")} />
            </span>,
          ],
          [t("fact.agent"), <PlainText key="agent" text={call.agent} line />],
          [
            t("fact.task"),
            call.taskId === undefined ? undefined : (
              <a
                key="task"
                className="text-accent underline"
                href={hrefOf("trace", call.taskId, { by: "task" })}
              >
                <PlainText text={call.taskId} line />
              </a>
            ),
          ],
          [t("fact.time"), <TimeView key="time" time={call.requestedAt} />],
          [t("fact.stages"), <Stages key="stages" call={call} />],
          [t("fact.attempts"), call.attempts === undefined ? undefined : call.attempts + 1],
          [
            t("fact.message"),
            call.message === undefined ? undefined : <PlainText key="message" text={call.message} />,
          ],
        ]}
      />
      {call.state === "asking" && (
        <p className="mt-2">
          <a className="font-medium text-accent underline" href={hrefOf("approvals")}>
            {t("live.answer")}
          </a>
        </p>
      )}
      <Section
        title={t("fact.arguments")}
        actions={
          <CopyButton text={JSON.stringify(call.arguments ?? null, null, 2)} name={t("fact.arguments")} />
        }
      >
        <RecordView value={call.arguments} label={t("fact.arguments")} />
      </Section>
      {call.output !== undefined && call.output !== "" && (
        <Section title={t("fact.output")}>
          <TextBlock text={call.output} label={t("fact.output")} printed follow={!ended} />
        </Section>
      )}
      {call.error !== undefined && (
        <Section title={t("fact.error")}>
          <ErrorView error={call.error} />
        </Section>
      )}
      {call.result !== undefined && (
        <Section title={t("fact.result")}>
          <ResultView value={call.result} label={t("fact.result")} />
        </Section>
      )}
      {ended && call.result === undefined && call.error === undefined && <LoggedResult id={call.callId} />}
      {ended && (
        <p className="mt-3">
          <a className="text-accent underline" href={hrefOf("log", call.callId)}>
            {t("live.inLog")}
          </a>
        </p>
      )}
    </aside>
  );
}

/** What a call gave back before this page was open, or what was too long for the feed. */
function LoggedResult({ id }: { readonly id: string }) {
  const t = useText();
  const record = useApi<ShownRecord>(`/api/log/${encodeURIComponent(id)}/shown`).data;
  if (record?.result === undefined) return null;
  return (
    <Section title={t("fact.result")}>
      <LargeParts id={id} parts={record.large.filter(({ of }) => of === "result")} />
      <ResultView value={record.result} label={t("fact.result")} />
    </Section>
  );
}

function Stages({ call }: { readonly call: Call }) {
  const toDuration = useDuration();
  const t = useText();
  const parts = stagesOf(call, call.endedAt ?? serverClock.now());
  return parts.map(({ stage, from, to }) => `${t(`stage.${stage}`)} ${toDuration(to - from)}`).join(" · ");
}
