import type { LogPage } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { toTime, useDuration } from "../../text/format.js";
import { ranMs } from "../../text/ran-ms.js";
import { PlainText } from "../../text/plain-text.js";
import { toShort } from "../../text/value-view.js";
import { Badge, toneOf } from "../../ui/badge.js";
import { ListHead } from "../../ui/list-head.js";
import { logText } from "./text.js";

/** Above the rows. */
export function LogHead() {
  const t = useText();
  const own = usePageText(logText);
  return (
    <ListHead>
      <span className="hidden w-12 shrink-0 text-right @2xl:inline">{own("seq")}</span>
      <span className="w-20 shrink-0">{t("fact.time")}</span>
      <span className="w-20 shrink-0">{t("log.outcome")}</span>
      <span className="w-36 shrink-0">{t("log.tool")}</span>
      <span className="min-w-0 flex-1 truncate">{t("fact.arguments")}</span>
      <span className="w-16 shrink-0 text-right">{t("fact.duration")}</span>
    </ListHead>
  );
}

/** One record in one line. */
export function LogRow({ record }: { readonly record: LogPage["records"][number] | undefined }) {
  const toDuration = useDuration();
  const t = useText();
  if (record === undefined) return null;
  return (
    <div className="flex h-full items-center gap-3 text-xs">
      <span className="hidden w-12 shrink-0 text-right text-muted tabular-nums @2xl:inline">
        {record.seq}
      </span>
      <span className="w-20 shrink-0 truncate text-muted tabular-nums">{toTime(record.time)}</span>
      <span className="w-20 shrink-0">
        <Badge tone={toneOf(record.outcome)}>{t(`outcome.${record.outcome}`)}</Badge>
      </span>
      <span className="w-36 shrink-0 truncate font-medium">
        <PlainText text={record.tool} line />
      </span>
      <span className="min-w-0 flex-1 truncate font-mono text-[11px] text-muted">
        <PlainText
          text={record.error === undefined ? toShort(record.arguments) : record.error.message.slice(0, 140)}
        />
      </span>
      <span className="w-16 shrink-0 text-right tabular-nums">{toDuration(ranMs(record))}</span>
    </div>
  );
}
