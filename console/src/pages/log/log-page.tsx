import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { change, get, withQuery } from "../../api/request.js";
import type { LogPage as Page, LogVerdict } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { VirtualList } from "../../ui/virtual-list.js";
import { emptyFilter, type Filter, LogFilter } from "./log-filter.js";
import { LogRow } from "./log-row.js";
import { RecordPane } from "./record-pane.js";

/** What happened, newest first; the address names the record that is shown in full. */
export default function LogPage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const [filter, setFilter] = useState(emptyFilter);
  const { records, fault, loading, more } = useRecords(filter);
  const onRange = useCallback(
    (_first: number, last: number) => {
      if (last >= records.length - 20) more();
    },
    [records.length, more],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <LogFilter filter={filter} onChange={setFilter} />
        <Verify />
      </div>
      <FaultNote fault={fault} />
      <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
        <div className="flex min-h-40 flex-1 flex-col overflow-hidden rounded-md border border-line bg-panel lg:min-w-0">
          {records.length === 0 ? (
            <Empty>{loading ? t("loading") : t("log.none")}</Empty>
          ) : (
            <VirtualList
              label={t("page.log")}
              count={records.length}
              rowHeight={32}
              idAt={(index) => records[index]?.callId ?? ""}
              render={(index) => <LogRow record={records[index]} />}
              selected={id}
              selectedIndex={records.findIndex((record) => record.callId === id)}
              onSelect={(next) => {
                window.location.hash = hrefOf("log", next);
              }}
              onRange={onRange}
              className="flex-1"
            />
          )}
        </div>
        {id !== undefined && <RecordPane key={id} id={id} />}
      </div>
    </div>
  );
}

function useRecords(filter: Filter) {
  const query = useInfiniteQuery({
    queryKey: ["/api/log", filter],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      get<Page>(withQuery("/api/log", { ...toParams(filter), before: pageParam, limit: 200 }), signal),
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

function toParams({ hours, ...rest }: Filter): Record<string, string | number | undefined> {
  return { ...rest, ...(hours === "" ? {} : { since: Date.now() - Number(hours) * 3_600_000 }) };
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
