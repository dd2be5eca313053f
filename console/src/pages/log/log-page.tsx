import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { text, useAddress, useTyped } from "../../address.js";
import { change, get, withQuery } from "../../api/request.js";
import type { LogPage as Page, LogVerdict } from "../../api/types.js";
import { serverClock } from "../../api/server-clock.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { parseSearch, type SearchFilter, withField } from "../../search/parse-search.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { VirtualList } from "../../ui/virtual-list.js";
import { ExportButtons } from "./export-buttons.js";
import { Histogram } from "./histogram.js";
import { LogHead, LogRow } from "./log-row.js";
import { LogSearch } from "./log-search.js";
import { RecordPane } from "./record-pane.js";
import { logText } from "./text.js";

const params = { q: text(), compare: text() };

/** What happened, newest first; the address has the search and names the record that is shown in full. */
export default function LogPage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const own = usePageText(logText);
  const { values, set, href, choose } = useAddress("log", params);
  const [typed, setTyped] = useTyped(values.q, (q) => set({ q }, { replace: true }));
  // Relative times count from the moment of the search, so that pages of one answer fit together.
  const { filter, problems } = useMemo(() => parseSearch(values.q, serverClock.now()), [values.q]);
  const { records, fault, loading, more } = useRecords(filter);
  const onRange = useCallback(
    (_first: number, last: number) => {
      if (last >= records.length - 20) more();
    },
    [records.length, more],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <LogSearch typed={typed} onType={setTyped} q={values.q} onSet={(q) => set({ q })} problems={problems}>
        <Verify />
        <ExportButtons filter={filter} />
      </LogSearch>
      <Histogram
        filter={filter}
        onRange={(since, until) =>
          set({ q: withField(withField(values.q, "since", toIso(since)), "until", toIso(until)) })
        }
      />
      <FaultNote fault={fault} />
      <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
        <section
          aria-label={own("results")}
          className="@container flex min-h-40 flex-1 flex-col overflow-hidden rounded-md border border-line bg-panel lg:min-w-0"
        >
          <h2 className="sr-only">{own("results")}</h2>
          {records.length === 0 ? (
            <Empty>{loading ? t("loading") : own("none")}</Empty>
          ) : (
            <VirtualList
              head={<LogHead />}
              label={own("results")}
              count={records.length}
              rowHeight={32}
              idAt={(index) => records[index]?.callId ?? ""}
              render={(index) => <LogRow record={records[index]} />}
              selected={id}
              selectedIndex={records.findIndex((record) => record.callId === id)}
              onSelect={(next) => choose(next, { replace: id !== undefined })}
              onRange={onRange}
              className="flex-1"
            />
          )}
        </section>
        {id !== undefined && (
          <RecordPane
            key={id}
            id={id}
            close={href(undefined)}
            compare={values.compare}
            onCompare={(compare) => set({ compare })}
          />
        )}
      </div>
    </div>
  );
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}

function useRecords(filter: SearchFilter) {
  const query = useInfiniteQuery({
    queryKey: ["/api/log", filter],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      get<Page>(withQuery("/api/log", { ...filter, before: pageParam, limit: 100 }), signal),
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const records = useMemo(() => query.data?.pages.flatMap((page) => page.records) ?? [], [query.data]);
  return { records, fault: query.error, loading: query.isLoading, more };
}

function Verify() {
  const t = useText();
  const verify = useMutation({ mutationFn: () => change<LogVerdict>("POST", "/api/log/verify", {}) });
  const verdict = verify.data;
  return (
    <>
      <Button disabled={verify.isPending} onClick={() => verify.mutate()}>
        {t("log.verify")}
      </Button>
      <span role="status" className="text-xs">
        {verdict?.ok === true && <span className="text-ok">{t("log.intact", { n: verdict.records })}</span>}
        {verdict?.ok === false && (
          <span className="font-medium text-bad">
            {t("log.broken", { seq: verdict.seq, problem: verdict.problem })}
          </span>
        )}
      </span>
      <FaultNote fault={verify.error} />
    </>
  );
}
