import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useMemo } from "react";
import type { ToolMetricsRow } from "../../api/types.js";
import { type Translate, useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { toDuration } from "../../text/format.js";

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });
const helper = createColumnHelper<typeof features, ToolMetricsRow>();

/** The figures of each tool; a click on a head sorts by it. */
export function ToolTable({ rows }: { readonly rows: readonly ToolMetricsRow[] }) {
  const t = useText();
  const columns = useMemo(() => columnsOf(t), [t]);
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({
    features,
    columns,
    data,
    initialState: { sorting: [{ id: "calls", desc: true }] },
  });
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={t("metrics.perTool")}>
      <table className="w-full text-xs">
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
                    className="pr-3 pb-1 text-right font-medium first:text-left"
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
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className="border-t border-line">
              {row.getAllCells().map((cell) => (
                <td key={cell.id} className="py-1 pr-3 text-right tabular-nums first:text-left">
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function columnsOf(t: Translate) {
  const time = (key: "p50Ms" | "p95Ms" | "p99Ms" | "maxMs", header: string) =>
    helper.accessor(key, { header, cell: (info) => toDuration(info.getValue()) });
  return helper.columns([
    helper.accessor("tool", {
      header: t("log.tool"),
      cell: (info) => (
        <a className="font-medium text-accent underline" href={hrefOf("tools", info.getValue())}>
          {info.getValue()}
        </a>
      ),
    }),
    helper.accessor("calls", { header: t("metrics.calls") }),
    helper.accessor("failures", { header: t("metrics.failed") }),
    time("p50Ms", "p50"),
    time("p95Ms", "p95"),
    time("p99Ms", "p99"),
    time("maxMs", t("metrics.max")),
    helper.accessor("waitedShare", {
      header: t("metrics.waited"),
      cell: (info) => `${(info.getValue() * 100).toFixed(0)} %`,
    }),
  ]);
}
