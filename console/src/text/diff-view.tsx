import { useMemo, useRef, useState } from "react";
import { toVisibleText } from "../../../src/text/visible-text.js";
import { useText } from "../i18n/use-text.js";
import { BoxNotes } from "./box-notes.js";
import { cutText } from "./cut-text.js";
import { useReportFold } from "./fold-gate.js";
import { VisibleText } from "./plain-text.js";

const firstLimit = 48_000;

/** A unified diff in its visible form, colored by line; long lines go on below, so that nothing lies aside. */
export function DiffView({
  diff,
  className = "max-h-[28rem]",
}: {
  readonly diff: string;
  readonly className?: string;
}) {
  const t = useText();
  const [limit, setLimit] = useState(firstLimit);
  const box = useRef<HTMLDivElement>(null);
  const whole = useMemo(() => toVisibleText(diff.replace(/^=+\n/, "").replace(/\n$/, "")), [diff]);
  const cut = useMemo(() => cutText(whole, limit), [whole, limit]);
  const lines = useMemo(() => cut.shown.replace(/\n$/, "").split("\n"), [cut]);
  useReportFold(cut.left > 0);
  return (
    <div>
      <div
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={t("diff.label")}
        className={`overflow-auto rounded border border-line bg-sunk py-1 font-mono text-xs ${className}`}
      >
        {lines.map((line, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a line's place is its identity
          <div key={at} className={`px-2 wrap-anywhere whitespace-pre-wrap ${looksOf(lines, at)}`}>
            {line === "" ? " " : <VisibleText visible={line} />}
          </div>
        ))}
      </div>
      <BoxNotes
        box={box}
        lines={lines.length}
        left={cut.left}
        leftLines={cut.leftLines}
        onMore={() => setLimit(limit * 4)}
        text={diff}
      />
    </div>
  );
}

function looksOf(lines: readonly string[], at: number): string {
  const line = lines[at] ?? "";
  if (isHead(lines, at)) return "font-bold text-muted";
  if (line.startsWith("@@")) return "bg-info-soft text-info";
  if (line.startsWith("+")) return "bg-ok-soft text-ok";
  if (line.startsWith("-")) return "bg-bad-soft text-bad";
  return "";
}

/** The two names of a file: a removed line may begin with `--` too, but no range of lines follows it. */
function isHead(lines: readonly string[], at: number): boolean {
  const first = lines[at]?.startsWith("+++") === true ? at - 1 : at;
  if (lines[first]?.startsWith("---") !== true || lines[first + 1]?.startsWith("+++") !== true) return false;
  return first === 0 || lines[first + 2]?.startsWith("@@") === true;
}
