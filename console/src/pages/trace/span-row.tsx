import { memo } from "react";
import type { TraceSpan } from "../../api/types.js";
import { serverClock } from "../../api/server-clock.js";
import { usePageText } from "../../i18n/page-text.js";
import { useWord } from "../../i18n/use-word.js";
import { useDuration } from "../../text/format.js";
import { ranMs } from "../../text/ran-ms.js";
import { PlainText } from "../../text/plain-text.js";
import { toShort } from "../../text/value-view.js";
import type { TreeRow } from "./build-tree.js";
import { traceText } from "./text.js";

const dots: Record<TraceSpan["state"], string> = {
  success: "bg-ok",
  failure: "bg-bad",
  denied: "bg-warn",
  interrupted: "bg-muted",
  waiting: "bg-muted",
  asking: "bg-warn",
  running: "bg-info",
};

/** Deeper calls are not moved further to the side: their tool must stay in sight. */
const maxIndent = 16;

export interface TimeScale {
  readonly from: number;
  readonly to: number;
}

interface SpanRowProps {
  readonly row: TreeRow;
  readonly scale: TimeScale;
  readonly isClosed: boolean;
  readonly onToggle: (callId: string) => void;
}

/** One call in one line of the tree, with its place in time. */
export const SpanRow = memo(({ row, scale, isClosed, onToggle }: SpanRowProps) => {
  const wordOf = useWord();
  const toDuration = useDuration();
  const text = usePageText(traceText);
  const { span, depth, children } = row;
  return (
    <div className="flex h-full items-center gap-2 text-xs" data-span={span.callId} data-depth={depth}>
      {/* What does not fit is cut here, so that the bars of all rows stand below each other. */}
      <span className="flex h-full min-w-0 flex-1 items-center gap-2 overflow-hidden">
        <span style={{ width: Math.min(depth, maxIndent) * 12 }} className="shrink-0" />
        {children > 0 ? (
          <button
            type="button"
            tabIndex={-1}
            aria-label={text("toggle")}
            className="w-4 shrink-0 text-muted"
            onPointerDown={(event) => event.stopPropagation()}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(span.callId);
            }}
          >
            {isClosed ? "▸" : "▾"}
          </button>
        ) : (
          <span className="w-4 shrink-0" />
        )}
        <span className={`size-2 shrink-0 rounded-full ${dots[span.state]}`} />
        <span className="sr-only">{wordOf(span.state)}</span>
        {depth > maxIndent && <span className="shrink-0 text-[10px] text-muted">{depth}</span>}
        <span className="min-w-20 shrink truncate font-medium">
          <PlainText text={span.tool} line />
        </span>
        <span className="hidden min-w-0 flex-1 truncate font-mono text-[11px] text-muted @lg:inline">
          <PlainText text={span.errorCode ?? toShort(span.arguments)} />
        </span>
      </span>
      <WaterfallBar span={span} scale={scale} />
      <span className="w-16 shrink-0 text-right tabular-nums">{toDuration(ranMs(span))}</span>
    </div>
  );
});

function WaterfallBar({ span, scale }: { readonly span: TraceSpan; readonly scale: TimeScale }) {
  const width = Math.max(1, scale.to - scale.from);
  const end = span.time + (span.durationMs ?? serverClock.now() - span.time);
  const place = (from: number, to: number) => ({
    left: `${Math.max(0, Math.min(99, ((from - scale.from) / width) * 100))}%`,
    width: `${Math.max(0, ((to - from) / width) * 100)}%`,
  });
  const color = span.state === "failure" || span.state === "denied" ? "bg-bad" : "bg-info";
  return (
    <span
      className="relative hidden h-3 w-2/5 shrink-0 overflow-hidden rounded-sm bg-sunk sm:block"
      aria-hidden="true"
    >
      <span className={`absolute inset-y-0 min-w-[3px] ${color}`} style={place(span.time, end)} />
      {span.asked !== undefined && (
        <span
          className="absolute inset-y-0 min-w-[3px] bg-warn"
          style={place(span.asked.at, span.asked.at + span.asked.waitedMs)}
        />
      )}
    </span>
  );
}
