import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { ChangeRow, UndoBody, UndoView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { DiffView } from "../../text/diff-view.js";
import { toBytes } from "../../text/format.js";
import { invertDiff } from "../../text/invert-diff.js";
import { PlainText } from "../../text/plain-text.js";
import { TimeView } from "../../text/time-view.js";
import { Badge, WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { changesText } from "./text.js";

/** One changed file: what happened to it, its diff in place, and the way back. */
export function ChangeLine({
  row,
  onUndo,
}: {
  readonly row: ChangeRow;
  readonly onUndo: (what: UndoBody) => void;
}) {
  const t = useText();
  const own = usePageText(changesText);
  const [open, setOpen] = useState(false);
  return (
    <li className="border-t border-line py-1.5 text-xs first:border-t-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="sm:w-16">
          <WordBadge word={row.op} />
        </span>
        <span className="min-w-40 flex-1 font-mono wrap-anywhere max-sm:order-first max-sm:basis-full">
          {row.from !== undefined && (
            <>
              <PlainText text={row.from} line /> →{" "}
            </>
          )}
          <PlainText text={row.path} line />
        </span>
        <span className="text-right whitespace-nowrap text-muted tabular-nums sm:w-32 sm:max-xl:hidden">
          {hasSize(row) && `${toBytes(row.sizeBefore)} → ${toBytes(row.sizeAfter)}`}
        </span>
        <a className="truncate text-accent underline sm:w-28" href={hrefOf("log", row.callId)}>
          <PlainText text={row.tool} line />
        </a>
        <span className="text-muted sm:w-24">
          <TimeView time={row.time} exact={false} />
        </span>
        {row.undone ? (
          <span className="sm:w-36 sm:text-right">
            <Badge>{own("undone")}</Badge>
          </span>
        ) : (
          <span className="flex gap-1 sm:w-36 sm:justify-end">
            <Button
              look="quiet"
              aria-expanded={open}
              aria-label={own("diffOf", { action: own(open ? "hideDiff" : "showDiff"), path: row.path })}
              onClick={() => setOpen(!open)}
            >
              {own(open ? "hideDiff" : "showDiff")}
            </Button>
            <Button
              aria-label={t("changes.undoOf", { path: row.path })}
              onClick={() => onUndo({ callId: row.callId })}
            >
              {t("changes.undo")}
            </Button>
          </span>
        )}
      </div>
      {open && <ChangeDiff callId={row.callId} />}
    </li>
  );
}

/** A new folder or another mode has no bytes to compare. */
function hasSize({ sizeBefore, sizeAfter }: ChangeRow): boolean {
  return (sizeBefore ?? 0) + (sizeAfter ?? 0) > 0;
}

/** What the call changed: the undo of it, read backwards. */
function ChangeDiff({ callId }: { readonly callId: string }) {
  const t = useText();
  const own = usePageText(changesText);
  const preview = useQuery({
    queryKey: ["/api/undo/preview", { callId }],
    queryFn: ({ signal }) => change<UndoView>("POST", "/api/undo/preview", { callId }, signal),
    gcTime: 0,
  });
  if (preview.error !== null)
    return (
      <div className="mt-1">
        <p className="text-muted">{own("noDiff")}</p>
        <FaultNote fault={preview.error} />
      </div>
    );
  if (preview.data === undefined) return <p className="mt-1 text-muted">{t("loading")}</p>;
  return (
    <div className="mt-1">
      <DiffView diff={invertDiff(preview.data.diff)} className="max-h-72" />
    </div>
  );
}
