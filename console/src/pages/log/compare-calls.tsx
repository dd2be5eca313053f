import { createTwoFilesPatch } from "diff";
import { useMemo } from "react";
import { toVisibleValue } from "../../../../src/text/visible-value.js";
import type { ShownRecord } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { DiffView } from "../../text/diff-view.js";
import { PlainText } from "../../text/plain-text.js";
import { ranMs } from "../../text/ran-ms.js";
import { useDuration } from "../../text/format.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Section } from "../../ui/panel.js";

const maxCompared = 200_000;

interface CompareCallsProps {
  readonly record: ShownRecord;
  readonly other: string;
}

/** Two calls side by side: what differs in how they went, their arguments and their results. */
export default function CompareCalls({ record, other }: CompareCallsProps) {
  const toDuration = useDuration();
  const t = useText();
  const before = useApi<ShownRecord>(`/api/log/${encodeURIComponent(other)}/shown`);
  const old = before.data;
  const names = [other, record.callId] as const;
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-xs font-semibold">
        <PlainText text={t("call.compareTitle", { tool: `${old?.tool ?? ""} ${other}` })} line />
      </h3>
      <FaultNote fault={before.error} />
      {old !== undefined && (
        <>
          <dl className="grid grid-cols-[auto_1fr_1fr] gap-x-3 text-xs">
            <Row name={t("fact.call")} values={[old.callId, record.callId]} />
            <Row name={t("log.tool")} values={[old.tool, record.tool]} />
            <Row
              name={t("log.outcome")}
              values={[t(`outcome.${old.outcome}`), t(`outcome.${record.outcome}`)]}
            />
            <Row name={t("call.ran")} values={[toDuration(ranMs(old)), toDuration(ranMs(record))]} />
            <Row name={t("fact.agent")} values={[old.agent, record.agent]} />
          </dl>
          {old.large.length + record.large.length > 0 && (
            <p className="text-xs text-warn">{t("call.compareCut")}</p>
          )}
          <Section title={t("fact.arguments")}>
            <Difference names={names} before={old.arguments} after={record.arguments} />
          </Section>
          <Section title={t("fact.result")}>
            <Difference
              names={names}
              before={old.error ?? old.result}
              after={record.error ?? record.result}
            />
          </Section>
        </>
      )}
    </div>
  );
}

function Row({
  name,
  values: [before, after],
}: {
  readonly name: string;
  readonly values: readonly [string, string];
}) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">
        <PlainText text={before} line />
      </dd>
      <dd className={`min-w-0 wrap-anywhere ${before === after ? "" : "font-semibold"}`}>
        <PlainText text={after} line />
      </dd>
    </>
  );
}

interface DifferenceProps {
  /** Of the calls. */
  readonly names: readonly [string, string];
  readonly before: unknown;
  readonly after: unknown;
}

function Difference({ names: [oldName, newName], before, after }: DifferenceProps) {
  const t = useText();
  const diff = useMemo(() => {
    const [one, other] = [toLines(before), toLines(after)];
    if (one === other) return "";
    return (
      createTwoFilesPatch(oldName, newName, one, other, undefined, undefined, {
        context: 3,
        maxEditLength: 20_000,
      }) ?? ""
    );
  }, [oldName, newName, before, after]);
  if (diff === "") return <p className="text-xs text-muted">{t("call.compareSame")}</p>;
  return <DiffView diff={diff} />;
}

function toLines(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "" : toVisibleValue(value);
  return `${text.slice(0, maxCompared)}\n`;
}
