import { useCallback, useMemo, useState } from "react";
import { useTyped } from "../../address.js";
import { ApiFault, withQuery } from "../../api/request.js";
import type { TraceSpan, TraceView as View } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { serverClock } from "../../api/server-clock.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { useDuration } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { toShort } from "../../text/value-view.js";
import { Button, LinkButton } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { VirtualList } from "../../ui/virtual-list.js";
import { SearchField } from "../../ui/search-field.js";
import { RecordPane } from "../log/record-pane.js";
import { buildTree, matchingSpans, type TreeRow } from "./build-tree.js";
import { SpanRow, type TimeScale } from "./span-row.js";
import { traceText } from "./text.js";
import { TimeAxis } from "./time-axis.js";

interface TraceViewProps {
  readonly id: string;
  readonly by: "task" | "session" | "call";
  readonly q: string;
  /** The selected call, or "". */
  readonly call: string;
  readonly compare: string;
  readonly onSet: (
    change: { q?: string; call?: string; compare?: string },
    options?: { readonly replace?: boolean },
  ) => void;
  readonly list: string;
}

/** The calls of a task, a session or around a call: a tree, and where each lies in time. */
export function TraceView({ id, by, q, call, compare, onSet, list }: TraceViewProps) {
  const toDuration = useDuration();
  const t = useText();
  const text = usePageText(traceText);
  const trace = useApi<View>(withQuery("/api/trace", { [by]: id }), {
    everyMs: (view) => (isLive(view) ? 2000 : 30_000),
  });
  const spans = useMemo(() => trace.data?.spans ?? [], [trace.data]);
  const [typed, setTyped] = useTyped(q, (next) => onSet({ q: next }, { replace: true }));
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => buildTree(matchingSpans(spans, matcher(typed)), closed), [spans, typed, closed]);
  const scale = useMemo(() => scaleOf(spans), [spans]);
  const toggle = useCallback((callId: string) => {
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(callId)) next.add(callId);
      return next;
    });
  }, []);
  const isUnknown = trace.error instanceof ApiFault && trace.error.status === 404;
  const href = hrefOf("trace", id, { by, q, compare });
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <a className="text-xs text-accent underline" href={list}>
          {text("back")}
        </a>
        <h2 className="min-w-0 text-xs font-semibold wrap-anywhere">
          <PlainText text={text("of", { kind: text(`kind.${by}`), id })} line />
        </h2>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          label={text("filterCalls")}
          value={typed}
          onChange={setTyped}
          className="w-full sm:w-56"
        />
        <Button onClick={() => setClosed(new Set())}>{text("expand")}</Button>
        <Button onClick={() => setClosed(new Set(parentsOf(spans)))}>{text("collapse")}</Button>
        {by === "task" && (
          <LinkButton href={hrefOf("changes", undefined, { task: id })}>{text("replay")}</LinkButton>
        )}
        <Legend />
        <span className="ml-auto text-xs text-muted" data-testid="span-count">
          {text("calls", { n: spans.length.toLocaleString() })} ·{" "}
          {text("duration", { time: toDuration(scale.to - scale.from) })}
          {trace.data?.truncated === true && ` · ${text("truncated")}`}
        </span>
      </div>
      {isUnknown ? <Empty>{text("unknown")}</Empty> : <FaultNote fault={trace.error} />}
      {trace.isLoading && <p className="text-muted">{t("loading")}</p>}
      {spans.length > 0 && rows.length === 0 && <Empty>{text("noneFits")}</Empty>}
      {rows.length > 0 && (
        <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
          <div className="@container flex min-h-40 flex-1 flex-col overflow-hidden rounded-md border border-line bg-panel lg:min-w-0">
            <TimeAxis scale={scale} />
            <SpanList
              rows={rows}
              scale={scale}
              closed={closed}
              call={call}
              onToggle={toggle}
              onSelect={(next) => onSet({ call: next }, { replace: call !== "" })}
            />
          </div>
          {call !== "" && (
            <RecordPane
              key={call}
              id={call}
              close={href}
              compare={compare}
              onCompare={(next) => onSet({ compare: next })}
            />
          )}
        </div>
      )}
    </div>
  );
}

interface SpanListProps {
  readonly rows: readonly TreeRow[];
  readonly scale: TimeScale;
  readonly closed: ReadonlySet<string>;
  readonly call: string;
  readonly onToggle: (callId: string) => void;
  readonly onSelect: (callId: string) => void;
}

function SpanList({ rows, scale, closed, call, onToggle, onSelect }: SpanListProps) {
  const text = usePageText(traceText);
  return (
    <VirtualList
      label={text("list")}
      count={rows.length}
      rowHeight={30}
      idAt={(index) => rows[index]?.span.callId ?? ""}
      render={(index) => {
        const row = rows[index];
        if (row === undefined) return null;
        return <SpanRow row={row} scale={scale} isClosed={closed.has(row.span.callId)} onToggle={onToggle} />;
      }}
      selected={call === "" ? undefined : call}
      selectedIndex={call === "" ? -1 : rows.findIndex(({ span }) => span.callId === call)}
      onSelect={onSelect}
      className="flex-1"
    />
  );
}

function Legend() {
  const text = usePageText(traceText);
  const parts = [
    ["bg-info", text("legendRan")],
    ["bg-warn", text("legendAsked")],
    ["bg-bad", text("legendFailed")],
  ] as const;
  return (
    <ul className="hidden gap-3 text-xs text-muted sm:flex">
      {parts.map(([color, name]) => (
        <li key={color} className="flex items-center gap-1">
          <span className={`h-2 w-4 rounded-sm ${color}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}

/** Something runs, or ran a moment ago: more may come soon. */
function isLive(view: View | undefined): boolean {
  const last = view?.spans.at(-1);
  return (
    view?.spans.some(({ durationMs }) => durationMs === undefined) === true ||
    (last !== undefined && serverClock.now() - last.time < 30_000)
  );
}

function matcher(typed: string): (span: TraceSpan) => boolean {
  const words = typed.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return (span) => {
    if (words.length === 0) return true;
    const hay =
      `${span.tool} ${span.callId} ${span.state} ${span.errorCode ?? ""} ${toShort(span.arguments)}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  };
}

function scaleOf(spans: readonly TraceSpan[]): TimeScale {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (const { time, durationMs } of spans) {
    from = Math.min(from, time);
    to = Math.max(to, durationMs === undefined ? serverClock.now() : time + durationMs);
  }
  return spans.length === 0 ? { from: 0, to: 1 } : { from, to: Math.max(to, from + 1) };
}

function parentsOf(spans: readonly TraceSpan[]): readonly string[] {
  return spans.flatMap(({ parentCallId }) => (parentCallId === undefined ? [] : [parentCallId]));
}
