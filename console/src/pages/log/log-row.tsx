import type { LogPage } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { useDuration } from "../../text/format.js";
import { ranMs } from "../../text/ran-ms.js";
import { PlainText } from "../../text/plain-text.js";
import { ClockView } from "../../text/time-view.js";
import { toShort } from "../../text/value-view.js";
import { Badge, toneOf } from "../../ui/badge.js";
import { ListHead } from "../../ui/list-head.js";
import { logText } from "./text.js";

/** In a narrow list the tool takes the place of the arguments, so that the duration stays in view. */
const columns = {
  outcome: "min-w-16 shrink-0 @lg:w-20",
  tool: "min-w-0 flex-1 truncate @lg:w-36 @lg:flex-none",
  arguments: "hidden min-w-0 flex-1 truncate @lg:inline",
};

/** Above the rows. */
export function LogHead() {
  const t = useText();
  const own = usePageText(logText);
  return (
    <ListHead>
      <span className="hidden w-12 shrink-0 text-right @2xl:inline">{own("seq")}</span>
      <span className="w-16 shrink-0 @lg:w-20">{t("fact.time")}</span>
      <span className={columns.outcome}>{t("log.outcome")}</span>
      <span className={columns.tool}>{t("log.tool")}</span>
      <span className={columns.arguments}>{t("fact.arguments")}</span>
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
      <span className="w-16 shrink-0 truncate text-muted @lg:w-20">
        <ClockView time={record.time} />
      </span>
      <span className={columns.outcome}>
        <Badge tone={toneOf(record.outcome)}>{t(`outcome.${record.outcome}`)}</Badge>
      </span>
      <span className={`${columns.tool} font-medium`}>
        <PlainText text={record.tool} line />
      </span>
      <span className={`${columns.arguments} font-mono text-[11px] text-muted`}>
        {record.error !== undefined && (
          <span className="mr-2 text-bad">
            <PlainText text={record.error.message.slice(0, 140)} />
          </span>
        )}
        <PlainText text={toShort(record.arguments)} />
      </span>
      <span className="w-16 shrink-0 text-right tabular-nums">{toDuration(ranMs(record))}</span>
    </div>
  );
}
