import { useMemo, useState } from "react";
import { withQuery } from "../../api/request.js";
import type { ChangeRow, UndoBody } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { toBytes, toTime } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { UndoDialog } from "./undo-dialog.js";
import { WaitingLayers } from "./waiting-layers.js";

/** Files that calls changed, by task, each with the way back. */
export default function ChangesPage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const [path, setPath] = useState("");
  const [what, setWhat] = useState<UndoBody>();
  const changes = useApi<readonly ChangeRow[]>(withQuery("/api/changes", { limit: 1000 }), { everyMs: 5000 });
  const groups = useMemo(() => groupsOf(changes.data ?? [], path), [changes.data, path]);
  return (
    <div className="flex flex-col gap-3">
      <input
        type="search"
        className="field w-72 max-w-full"
        aria-label={t("changes.path")}
        placeholder={t("changes.path")}
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
      <WaitingLayers id={id} />
      <FaultNote fault={changes.error} />
      {changes.data !== undefined && groups.length === 0 && <Empty>{t("changes.none")}</Empty>}
      {groups.map((group) => (
        <ChangeGroup key={group.key} group={group} onUndo={setWhat} />
      ))}
      <UndoDialog what={what} onClose={() => setWhat(undefined)} />
    </div>
  );
}

interface Group {
  readonly key: string;
  readonly what: UndoBody;
  readonly rows: readonly ChangeRow[];
}

function ChangeGroup({
  group,
  onUndo,
}: {
  readonly group: Group;
  readonly onUndo: (what: UndoBody) => void;
}) {
  const t = useText();
  const title =
    "taskId" in group.what
      ? t("changes.task", { id: group.what.taskId })
      : t("changes.call", { tool: group.rows[0]?.tool ?? "" });
  const standing = group.rows.some((row) => !row.undone);
  return (
    <Panel
      title={title}
      actions={
        <Button disabled={!standing} onClick={() => onUndo(group.what)}>
          {t("changes.undoAll")}
        </Button>
      }
    >
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={title}>
        <table className="w-full text-xs">
          <thead className="text-left text-muted">
            <tr>
              <th className="pr-3 pb-1 font-medium">{t("fact.time")}</th>
              <th className="pr-3 pb-1 font-medium">{t("changes.what")}</th>
              <th className="pr-3 pb-1 font-medium">{t("changes.file")}</th>
              <th className="pr-3 pb-1 font-medium">{t("changes.size")}</th>
              <th className="pr-3 pb-1 font-medium">{t("log.tool")}</th>
              <th className="pb-1">
                <span className="sr-only">{t("changes.undo")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {group.rows.map((row) => (
              <ChangeLine key={`${row.id}${row.path}${row.op}`} row={row} onUndo={onUndo} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function ChangeLine({ row, onUndo }: { readonly row: ChangeRow; readonly onUndo: (what: UndoBody) => void }) {
  const t = useText();
  return (
    <tr className="border-t border-line">
      <td className="py-1 pr-3 whitespace-nowrap text-muted tabular-nums">{toTime(row.time)}</td>
      <td className="py-1 pr-3">
        <Badge>{row.op}</Badge>
      </td>
      <td className="py-1 pr-3 font-mono wrap-anywhere">
        {row.from !== undefined && (
          <>
            <PlainText text={row.from} line /> →{" "}
          </>
        )}
        <PlainText text={row.path} line />
      </td>
      <td className="py-1 pr-3 whitespace-nowrap tabular-nums">
        {toBytes(row.sizeBefore)} → {toBytes(row.sizeAfter)}
      </td>
      <td className="py-1 pr-3">
        <a className="text-accent underline" href={hrefOf("log", row.callId)}>
          <PlainText text={row.tool} line />
        </a>
      </td>
      <td className="py-1 text-right">
        {row.undone ? (
          <Badge>{t("changes.undone")}</Badge>
        ) : (
          <Button
            aria-label={t("changes.undoOf", { path: row.path })}
            onClick={() => onUndo({ callId: row.callId })}
          >
            {t("changes.undo")}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** By task where there is one, else by call; the newest first, as they come. */
function groupsOf(rows: readonly ChangeRow[], path: string): readonly Group[] {
  const groups = new Map<string, { key: string; what: UndoBody; rows: ChangeRow[] }>();
  const wanted = path.trim().toLowerCase();
  for (const row of rows) {
    if (!row.path.toLowerCase().includes(wanted)) continue;
    const key = row.taskId === undefined ? `call ${row.callId}` : `task ${row.taskId}`;
    const what = row.taskId === undefined ? { callId: row.callId } : { taskId: row.taskId };
    const group = groups.get(key) ?? { key, what, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
}
