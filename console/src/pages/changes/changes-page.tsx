import { useMemo, useState } from "react";
import { text as textParam, useAddress, useTyped } from "../../address.js";
import { withQuery } from "../../api/request.js";
import type { ChangeRow, UndoBody } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { PlainText } from "../../text/plain-text.js";
import { Button, LinkButton } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { SearchField } from "../../ui/search-field.js";
import { ChangeLine } from "./change-line.js";
import { type ChangeGroup, groupChanges } from "./group-changes.js";
import { changesText } from "./text.js";
import { UndoDialog } from "./undo-dialog.js";
import { WaitingLayers } from "./waiting-layers.js";

const params = { path: textParam(), task: textParam(), call: textParam() };

const groupsPerPage = 20;

/** Files that calls changed, by task or session, each with its diff and the way back. */
export default function ChangesPage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const own = usePageText(changesText);
  const { values, set } = useAddress("changes", params);
  const { task, call } = values;
  const [typed, setTyped] = useTyped(values.path, (next) => set({ path: next }, { replace: true }));
  const [what, setWhat] = useState<UndoBody>();
  const [shown, setShown] = useState(groupsPerPage);
  const changes = useApi<readonly ChangeRow[]>(
    withQuery("/api/changes", { limit: 1000, text: values.path.trim(), taskId: task, callId: call }),
    { everyMs: 5000, keepsPrevious: true },
  );
  const groups = useMemo(() => groupChanges(changes.data ?? [], typed), [changes.data, typed]);
  const isNarrowed = task !== "" || call !== "" || typed !== "";
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label={t("changes.path")} value={typed} onChange={setTyped} />
        {(task !== "" || call !== "") && (
          <>
            <span className="text-xs wrap-anywhere">
              <PlainText
                text={task === "" ? own("onlyCall", { id: call }) : own("onlyTask", { id: task })}
                line
              />
            </span>
            <Button onClick={() => set({ task: "", call: "" })}>{own("all")}</Button>
          </>
        )}
      </div>
      <WaitingLayers id={id} />
      <FaultNote fault={changes.error} />
      {changes.data !== undefined && groups.length === 0 && (
        <Empty>{isNarrowed ? own("noneFits") : t("changes.none")}</Empty>
      )}
      {groups.slice(0, shown).map((group) => (
        <GroupPanel key={group.key} group={group} onUndo={setWhat} />
      ))}
      {groups.length > shown && (
        <Button className="self-start" onClick={() => setShown(shown * 4)}>
          {t("view.more", { n: groups.length - shown })}
        </Button>
      )}
      <UndoDialog what={what} onClose={() => setWhat(undefined)} />
    </div>
  );
}

const perPage = 20;

function GroupPanel({
  group,
  onUndo,
}: {
  readonly group: ChangeGroup;
  readonly onUndo: (what: UndoBody) => void;
}) {
  const t = useText();
  const own = usePageText(changesText);
  const [shown, setShown] = useState(perPage);
  const isStanding = group.rows.some((row) => !row.undone);
  return (
    <Panel
      title={own(group.by, { id: group.id })}
      actions={
        <span className="flex flex-wrap items-center gap-2 text-xs">
          <span className="text-muted">{own("files", { n: group.rows.length })}</span>
          <LinkButton href={hrefOf("trace", group.id, { by: group.by })}>{own("trace")}</LinkButton>
          {group.by === "task" && isStanding && (
            <Button onClick={() => onUndo({ taskId: group.id })}>{t("changes.undoAll")}</Button>
          )}
        </span>
      }
    >
      <ul className="-my-1.5 flex flex-col">
        {group.rows.slice(0, shown).map((row) => (
          <ChangeLine key={`${row.id}${row.path}${row.op}`} row={row} onUndo={onUndo} />
        ))}
      </ul>
      {group.rows.length > shown && (
        <Button className="mt-2" onClick={() => setShown(shown * 4)}>
          {t("view.more", { n: group.rows.length - shown })}
        </Button>
      )}
    </Panel>
  );
}
