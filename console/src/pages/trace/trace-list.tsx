import { useState } from "react";
import { useTyped } from "../../address.js";
import { withQuery } from "../../api/request.js";
import type { TraceGroup } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { useDuration } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { TimeView } from "../../text/time-view.js";
import { Badge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { SearchField } from "../../ui/search-field.js";
import { traceText } from "./text.js";

interface TraceListProps {
  readonly by: "task" | "session";
  readonly q: string;
  readonly onQuery: (q: string) => void;
}

const perPage = 100;

/** The tasks or sessions there are, the newest first. */
export function TraceList({ by, q, onQuery }: TraceListProps) {
  const toDuration = useDuration();
  const t = useText();
  const text = usePageText(traceText);
  const [typed, setTyped] = useTyped(q, onQuery);
  const [shown, setShown] = useState(perPage);
  const groups = useApi<readonly TraceGroup[]>(
    withQuery("/api/traces", { by, text: q.trim(), limit: 1000 }),
    {
      everyMs: 5000,
      keepsPrevious: true,
    },
  );
  const rows = (groups.data ?? []).filter(({ id }) => id.toLowerCase().includes(typed.trim().toLowerCase()));
  return (
    <div className="flex flex-col gap-2">
      <SearchField label={text("filter")} value={typed} onChange={setTyped} />
      <FaultNote fault={groups.error} />
      {groups.data !== undefined && rows.length === 0 && (
        <Empty>{text(typed.trim() === "" ? "none" : "noneFits")}</Empty>
      )}
      <ul className="flex flex-col gap-1">
        {rows.slice(0, shown).map((group) => (
          <li key={group.id}>
            <a
              href={hrefOf("trace", group.id, { by })}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 min-h-9 rounded-md border border-line bg-panel px-3 py-1 text-xs hover:bg-sunk"
            >
              <span className="basis-full font-medium wrap-anywhere sm:flex-1 sm:basis-40">
                <PlainText text={group.id} line />
              </span>
              <span className="flex gap-1 max-sm:empty:hidden">
                {group.failures > 0 && <Badge tone="bad">{text("failures", { n: group.failures })}</Badge>}
                {group.denied > 0 && <Badge tone="warn">{text("denied", { n: group.denied })}</Badge>}
              </span>
              <span className="tabular-nums sm:w-24 sm:text-right">
                {text("calls", { n: group.calls.toLocaleString() })}
              </span>
              <span className="text-muted tabular-nums sm:w-24 sm:text-right">
                {toDuration(group.last - group.first)}
              </span>
              <span className="text-muted sm:w-28 sm:text-right">
                <TimeView time={group.last} exact={false} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {rows.length > shown && (
        <Button className="self-start" onClick={() => setShown(shown * 4)}>
          {t("view.more", { n: rows.length - shown })}
        </Button>
      )}
    </div>
  );
}
