import { useState } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";
import { PlainText } from "./plain-text.js";
import { toShort } from "./value-view.js";

type TableRow = Readonly<Record<string, unknown>>;

const perPage = 100;
const maxColumns = 30;

/** Whether a value is a list of records with plain members: what a table can show. */
export function isTable(value: unknown): value is readonly TableRow[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const sample = value.slice(0, 50);
  if (!sample.every((row) => typeof row === "object" && row !== null && !Array.isArray(row))) return false;
  const plain = sample
    .flatMap((row) => Object.values(row as TableRow))
    .filter((cell) => typeof cell !== "object");
  const all = sample.flatMap((row) => Object.values(row as TableRow));
  return all.length > 0 && plain.length >= all.length / 2;
}

/** A list of records as a table. */
export function TableView({ rows, label }: { readonly rows: readonly TableRow[]; readonly label: string }) {
  const t = useText();
  const [shown, setShown] = useState(perPage);
  const columns = [...new Set(rows.slice(0, shown).flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
  return (
    <div>
      <div
        className="max-h-[32rem] overflow-auto rounded border border-line"
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <table className="w-full text-xs">
          <thead className="sticky top-0 bg-panel text-left text-muted">
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" className="px-2 py-1 font-medium">
                  <PlainText text={column} line />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- a row's place is its identity
              <tr key={at} className="border-t border-line align-top">
                {columns.map((column) => (
                  <td key={column} className="max-w-md px-2 py-1 font-mono wrap-anywhere">
                    <PlainText text={toShort(row[column], 500)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <Button className="mt-1" onClick={() => setShown(shown * 4)}>
          {t("view.more", { n: (rows.length - shown).toLocaleString() })}
        </Button>
      )}
    </div>
  );
}
