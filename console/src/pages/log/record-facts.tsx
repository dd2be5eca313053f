import type { ShownRecord } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { hrefOf } from "../../route.js";
import { ranMs, waitedForPersonMs } from "../../text/ran-ms.js";
import { useDuration } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { TimeView } from "../../text/time-view.js";
import { Badge, toneOf, WordBadge } from "../../ui/badge.js";
import { CopyButton } from "../../ui/copy-button.js";
import { Facts } from "../../ui/panel.js";

/** What is known of a call besides its content. */
export function RecordFacts({ record }: { readonly record: ShownRecord }) {
  const toDuration = useDuration();
  const t = useText();
  const wordOf = useWord();
  const { decision, taskId, sessionId, parentCallId } = record;
  const waited = waitedForPersonMs(record);
  return (
    <Facts
      rows={[
        [
          t("log.outcome"),
          <Badge key="outcome" tone={toneOf(record.outcome)}>
            {t(`outcome.${record.outcome}`)}
          </Badge>,
        ],
        [t("fact.call"), <Id key="id" id={record.callId} name={t("fact.call")} />],
        [t("fact.time"), <TimeView key="time" time={record.time} />],
        [t("call.ran"), toDuration(ranMs(record))],
        [t("call.waitedForPerson"), waited > 0 ? toDuration(waited) : undefined],
        [t("fact.agent"), <PlainText key="agent" text={record.agent} line />],
        [t("fact.session"), <TraceLink key="session" by="session" id={sessionId} />],
        [t("fact.task"), taskId === undefined ? undefined : <TraceLink key="task" by="task" id={taskId} />],
        [
          t("fact.parent"),
          parentCallId === undefined ? undefined : (
            <a key="parent" className="font-mono text-accent underline" href={hrefOf("log", parentCallId)}>
              {parentCallId}
            </a>
          ),
        ],
        [t("tools.versions"), record.version],
        [
          t("fact.decision"),
          decision === undefined ? undefined : (
            <span key="decision">
              <WordBadge word={decision.behavior} />{" "}
              <PlainText text={`${decision.rule} (${wordOf(decision.source)}): ${decision.reason}`} />
            </span>
          ),
        ],
        [
          t("log.hash"),
          <span key="hash" className="font-mono">
            {record.seq} · {record.hash} <CopyButton text={record.hash} name={t("log.hash")} />
          </span>,
        ],
      ]}
    />
  );
}

function TraceLink({ by, id }: { readonly by: "task" | "session"; readonly id: string }) {
  return (
    <a className="text-accent underline" href={hrefOf("trace", id, { by })}>
      <PlainText text={id} line />
    </a>
  );
}

function Id({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <span className="font-mono">
      {id} <CopyButton text={id} name={name} />
    </span>
  );
}
