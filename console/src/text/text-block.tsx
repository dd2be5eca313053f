import { memo, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";
import { cutText } from "./cut-text.js";
import { type AnsiRun, parseAnsi } from "./parse-ansi.js";
import { PlainText } from "./plain-text.js";

const firstLimit = 16_000;
const lastLimit = 1_000_000;
const colors = ["", "text-bad", "text-ok", "text-warn", "text-info", "text-accent", "text-accent", ""];

interface TextBlockProps {
  readonly text: string;
  readonly label: string;
  /** Follow the end as it grows, as a terminal does. */
  readonly follow?: boolean;
  readonly className?: string;
}

/** A text of any size and origin: cut with a way to see more, colours of the terminal kept, all else removed. */
export function TextBlock({ text, label, follow = false, className = "max-h-96" }: TextBlockProps) {
  const t = useText();
  const [limit, setLimit] = useState(firstLimit);
  const { shown, left } = useMemo(
    () => cutText(text, limit, follow ? "end" : "start"),
    [text, limit, follow],
  );
  const runs = useMemo(() => parseAnsi(shown), [shown]);
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (follow && atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [shown, follow]);
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
        <Runs runs={runs} />
      </pre>
      {left > 0 && (
        <div className="mt-1 flex items-center gap-2 text-xs text-muted">
          <span>{t("text.left", { n: left.toLocaleString() })}</span>
          {limit < lastLimit && <Button onClick={() => setLimit(limit * 8)}>{t("text.more")}</Button>}
          <Button onClick={() => void navigator.clipboard?.writeText(text)}>{t("text.copyAll")}</Button>
        </div>
      )}
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
