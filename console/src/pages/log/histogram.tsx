import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get, withQuery } from "../../api/request.js";
import type { LogTally } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { outcomes, type SearchFilter } from "../../search/parse-search.js";
import { toTime } from "../../text/format.js";
import { FaultNote } from "../../ui/fault-note.js";
import { logText } from "./text.js";

const colors = { success: "bg-ok", failure: "bg-bad", denied: "bg-warn", interrupted: "bg-muted" };

interface HistogramProps {
  readonly filter: SearchFilter;
  readonly onRange: (since: number, until: number) => void;
}

/** How many records fit, over time; a bar narrows the search to its time. */
export function Histogram({ filter, onRange }: HistogramProps) {
  const t = useText();
  const own = usePageText(logText);
  const query = useQuery({
    queryKey: ["/api/log/tally", filter],
    queryFn: ({ signal }) => get<LogTally>(withQuery("/api/log/tally", { ...filter, buckets: 60 }), signal),
    placeholderData: keepPreviousData,
  });
  const tally = query.data;
  if (tally === undefined)
    return query.error === null ? <div className="h-16" /> : <FaultNote fault={query.error} />;
  const sums = tally.counts.success.map((_, at) =>
    outcomes.reduce((sum, name) => sum + (tally.counts[name][at] ?? 0), 0),
  );
  const most = Math.max(1, ...sums);
  const end = tally.from + tally.widthMs * sums.length;
  return (
    <figure className="rounded-md border border-line bg-panel px-3 py-1.5" aria-label={own("histogram")}>
      <div className="flex h-10 items-end gap-px">
        {sums.map((sum, at) => {
          const from = tally.from + at * tally.widthMs;
          const label = own("bar", { time: toTime(from), n: sum.toLocaleString() });
          return (
            <button
              // oxlint-disable-next-line react/no-array-index-key -- a bar's place is its identity
              key={at}
              type="button"
              tabIndex={-1}
              aria-label={label}
              title={label}
              disabled={sum === 0}
              onClick={() => onRange(from, from + tally.widthMs - 1)}
              className="flex h-full flex-1 flex-col justify-end hover:bg-sunk disabled:cursor-default"
            >
              {outcomes.map((name) => (
                <span
                  key={name}
                  className={`block w-full ${colors[name]}`}
                  style={{ height: `${((tally.counts[name][at] ?? 0) / most) * 100}%` }}
                />
              ))}
            </button>
          );
        })}
      </div>
      <figcaption className="grid grid-cols-2 gap-x-3 text-[11px] text-muted tabular-nums sm:grid-cols-[auto_1fr_auto]">
        <span>{tally.total > 0 && toTime(tally.from)}</span>
        <span className="order-last col-span-2 flex flex-wrap gap-x-3 sm:order-none sm:col-span-1 sm:justify-center">
          <span data-testid="record-count">
            {tally.capped === true
              ? own("capped", { n: tally.total.toLocaleString() })
              : own("count", { n: tally.total.toLocaleString() })}
          </span>
          {outcomes.map((name) => (
            <span key={name} className="flex items-center gap-1">
              <span className={`size-2 rounded-sm ${colors[name]}`} />
              {t(`outcome.${name}`)}
            </span>
          ))}
        </span>
        <span className="text-right">{tally.total > 0 && toTime(end)}</span>
      </figcaption>
    </figure>
  );
}
