import type { ReactNode } from "react";

interface DataTableProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    readonly cells: readonly ReactNode[];
    readonly actions?: ReactNode;
  }[];
  /** It stands on the page itself, not in a panel. */
  readonly framed?: boolean;
  /** Names the column of the buttons, for screen readers. */
  readonly actions?: string | undefined;
}

/** A table that becomes a list of cards on a phone. */
export function DataTable({ label, heads, rows, actions, framed = false }: DataTableProps) {
  return (
    <div
      className={`overflow-x-auto ${framed ? "rounded-md border border-line bg-panel px-3 py-2" : ""}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className="cards w-full text-xs">
        <thead>
          <tr className="text-left text-muted">
            {heads.map((head) => (
              <th key={head} scope="col" className="pr-3 pb-1 font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
            {actions !== undefined && (
              <th scope="col" className="pb-1">
                <span className="sr-only">{actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} className="border-t border-line">
              {row.cells.map((cell, at) => (
                <td key={heads[at]} data-label={heads[at]} className="py-1 pr-3 wrap-anywhere">
                  {cell}
                </td>
              ))}
              {actions !== undefined && (
                <td className="py-1 text-right">
                  <span className="inline-flex flex-wrap justify-end gap-1">{row.actions}</span>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
