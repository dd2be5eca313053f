import { memo, useLayoutEffect, useMemo, useRef, useState } from "react";
import { toVisibleText } from "../../../src/text/visible-text.js";
import { BoxNotes } from "./box-notes.js";
import { cutText } from "./cut-text.js";
import { useReportFold } from "./fold-gate.js";
import { type AnsiRun, parseAnsi } from "./parse-ansi.js";
import { PlainText, VisibleText } from "./plain-text.js";

const firstLimit = 16_000;
const colors = ["", "text-bad", "text-ok", "text-warn", "text-info", "text-accent", "text-accent", ""];

interface TextBlockProps {
  readonly text: string;
  readonly label: string;
  /** What a command printed: its colors are kept, and what else steers a terminal is taken out and counted. */
  readonly printed?: boolean;
  /** The text is in its visible form already. */
  readonly visible?: boolean;
  /** Follow the end as it grows, as a terminal does. */
  readonly follow?: boolean;
  readonly className?: string;
}

/** A text of any size and origin as it is: what is folded or out of sight is counted, and can be opened. */
export function TextBlock(props: TextBlockProps) {
  const { text, label, printed = false, visible = false, follow = false, className = "max-h-96" } = props;
  const [limit, setLimit] = useState(firstLimit);
  const whole = useMemo(() => (printed || visible ? text : toVisibleText(text)), [text, printed, visible]);
  const cut = useMemo(() => cutText(whole, limit, follow ? "end" : "start"), [whole, limit, follow]);
  const { runs, removed } = useMemo(
    () => (printed ? parseAnsi(cut.shown) : { runs: undefined, removed: 0 }),
    [cut, printed],
  );
  const lines = useMemo(() => cut.shown.split("\n").length, [cut]);
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useReportFold(cut.left > 0);
  useLayoutEffect(() => {
    if (follow && atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [cut, follow]);
  return (
    <div>
      <pre
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={label}
        onScroll={({ currentTarget: el }) => {
          atEnd.current = el.scrollTop + el.clientHeight >= el.scrollHeight - 8;
        }}
        className={`overflow-auto rounded border border-line bg-sunk p-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap ${className}`}
      >
        {runs === undefined ? <VisibleText visible={cut.shown} /> : <Runs runs={runs} />}
      </pre>
      <BoxNotes
        box={box}
        lines={lines}
        left={cut.left}
        leftLines={cut.leftLines}
        removed={removed}
        onMore={() => setLimit(limit * 8)}
        text={text}
      />
    </div>
  );
}

const Runs = memo(({ runs }: { readonly runs: readonly AnsiRun[] }) =>
  runs.map((run, at) => {
    const looks = `${colors[run.color ?? 0] ?? ""} ${run.bold === true ? "font-bold" : ""} ${run.dim === true ? "text-muted" : ""}`;
    // oxlint-disable-next-line react/no-array-index-key -- runs have no other identity
    return (
      <span key={at} className={looks.trim() === "" ? undefined : looks}>
        <PlainText text={run.text} />
      </span>
    );
  }),
);
