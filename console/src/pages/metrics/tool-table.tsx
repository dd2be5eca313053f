import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useMemo, useState } from "react";
import type { ToolMetricsRow } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { useDuration } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { metricsText } from "./text.js";

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });
const helper = createColumnHelper<typeof features, ToolMetricsRow>();

const perPage = 100;
/** As the server estimates the tokens of one result. */
const bytesPerToken = 4;

/** The figures of each tool; a click on a head sorts by it. */
export function ToolTable({ rows }: { readonly rows: readonly ToolMetricsRow[] }) {
  const own = usePageText(metricsText);
  const columns = useColumns();
  const [shown, setShown] = useState(perPage);
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({
    features,
    columns,
    data,
    initialState: { sorting: [{ id: "calls", desc: true }] },
  });
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={own("perTool")}>
      <table className="cards w-full text-xs">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="text-muted">
              {group.headers.map((header) => {
                const sorted = header.column.getIsSorted();
                return (
                  <th
                    key={header.id}
                    scope="col"
                    aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"}
                    className="pr-3 pb-1 text-right align-bottom font-medium break-keep first:text-left"
                  >
                    <button
                      type="button"
                      className="hover:text-ink"
                      onClick={header.column.getToggleSortingHandler()}
                    >
                      <table.FlexRender header={header} />
                      <span aria-hidden="true">
                        {sorted === "asc" ? " ▲" : sorted === "desc" ? " ▼" : ""}
                      </span>
                    </button>
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {table
            .getRowModel()
            .rows.slice(0, shown)
            .map((row) => (
              <tr key={row.id} className="border-t border-line">
                {row.getAllCells().map((cell) => (
                  <td
                    key={cell.id}
                    data-label={String(cell.column.columnDef.header)}
                    className="py-1 pr-3 text-right whitespace-nowrap tabular-nums first:min-w-32 first:text-left first:wrap-anywhere first:whitespace-normal max-sm:whitespace-normal"
                  >
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <Button className="mt-1" onClick={() => setShown(shown * 4)}>
          {own("more", { n: (rows.length - shown).toLocaleString() })}
        </Button>
      )}
      <p className="mt-1 text-[11px] text-muted">{own("tokensNote")}</p>
    </div>
  );
}

function useColumns() {
  const t = useText();
  const own = usePageText(metricsText);
  const toDuration = useDuration();
  return useMemo(() => {
    const time = (key: "p50Ms" | "p95Ms" | "p99Ms" | "maxMs", header: string) =>
      helper.accessor(key, { header, cell: (info) => toDuration(info.getValue()) });
    const count = (value: number | undefined) => value?.toLocaleString() ?? "–";
    return helper.columns([
      helper.accessor("tool", {
        header: t("log.tool"),
        cell: (info) => (
          <a className="font-medium text-accent underline" href={hrefOf("tools", info.getValue())}>
            <PlainText text={info.getValue()} line />
          </a>
        ),
      }),
      helper.accessor("calls", { header: own("calls"), cell: (info) => count(info.getValue()) }),
      helper.accessor("failures", { header: own("failed"), cell: (info) => count(info.getValue()) }),
      helper.accessor("denied", { header: own("denied"), cell: (info) => count(info.getValue()) }),
      time("p50Ms", "p50"),
      time("p95Ms", "p95"),
      time("p99Ms", "p99"),
      time("maxMs", own("max")),
      helper.accessor((row) => row.people.totalMs, {
        id: "people",
        header: own("peopleColumn"),
        cell: (info) => (info.getValue() === 0 ? "–" : toDuration(info.getValue())),
      }),
      helper.accessor("definitionTokens", {
        header: own("definitionTokens"),
        cell: (info) => count(info.getValue()),
      }),
      helper.accessor("resultTokens", {
        header: own("resultTokens"),
        cell: (info) => count(info.getValue()),
      }),
      helper.accessor((row) => Math.ceil(row.results.totalBytes / bytesPerToken), {
        id: "totalTokens",
        header: own("totalTokens"),
        cell: (info) => count(info.getValue()),
      }),
    ]);
  }, [t, own, toDuration]);
}
