import { useMemo, useState } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";
import { PlainText } from "./plain-text.js";

const pageOfLines = 600;

/** A unified diff, coloured by line. */
export function DiffView({
  diff,
  className = "max-h-[28rem]",
}: {
  readonly diff: string;
  readonly className?: string;
}) {
  const t = useText();
  const [limit, setLimit] = useState(pageOfLines);
  const lines = useMemo(() => diff.replace(/\n$/, "").split("\n"), [diff]);
  return (
    <div>
      <div
        tabIndex={0}
        role="region"
        aria-label={t("diff.label")}
        className={`overflow-auto rounded border border-line bg-sunk font-mono text-xs ${className}`}
      >
        <div className="w-max min-w-full py-1">
          {lines.slice(0, limit).map((line, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- a line's place is its identity
            <div key={at} className={`px-2 whitespace-pre ${looksOf(line)}`}>
              {line === "" ? " " : <PlainText text={line.length > 2000 ? `${line.slice(0, 2000)}…` : line} />}
            </div>
          ))}
        </div>
      </div>
      {lines.length > limit && (
        <div className="mt-1 flex items-center gap-2 text-xs text-muted">
          <span>{t("diff.left", { n: lines.length - limit })}</span>
          <Button onClick={() => setLimit(limit * 4)}>{t("text.more")}</Button>
        </div>
      )}
    </div>
  );
}

function looksOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---")) return "font-bold text-muted";
  if (line.startsWith("@@")) return "bg-info-soft text-info";
  if (line.startsWith("+")) return "bg-ok-soft text-ok";
  if (line.startsWith("-")) return "bg-bad-soft text-bad";
  return "";
}
