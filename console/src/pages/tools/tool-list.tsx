import { useEffect, useRef } from "react";
import type { ToolRow } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { PlainText } from "../../text/plain-text.js";
import { useRowWindow } from "../../ui/use-row-window.js";

/** A line of the list: a category with the number of its tools, or a tool. */
type Line = { readonly category: string; readonly count: number } | { readonly tool: ToolRow };

const rowHeight = 26;

interface ToolListProps {
  readonly lines: readonly Line[];
  readonly label: string;
  readonly hrefOf: (name: string) => string;
  readonly current: string | undefined;
}

/** All tools by category; only the lines in view exist, since there may be thousands. */
export function ToolList({ lines, label, hrefOf, current }: ToolListProps) {
  const wordOf = useWord();
  const box = useRef<HTMLElement>(null);
  const { first, last, fitting, show } = useRowWindow(box, {
    count: lines.length,
    rowHeight,
    growsAtTop: false,
  });
  const at = lines.findIndex((line) => "tool" in line && line.tool.name === current);
  useEffect(() => {
    if (at >= 0) show(at);
  }, [at, fitting]);
  return (
    <nav ref={box} className="min-h-0 flex-1 overflow-auto px-2" aria-label={label}>
      <div className="relative" style={{ height: lines.length * rowHeight }}>
        {lines.slice(first, last + 1).map((line, at) => (
          <div
            key={"tool" in line ? line.tool.name : ` ${line.category}`}
            className="absolute inset-x-0"
            style={{ top: (first + at) * rowHeight, height: rowHeight }}
          >
            {"tool" in line ? (
              <ToolLink
                row={line.tool}
                href={hrefOf(line.tool.name)}
                isCurrent={line.tool.name === current}
              />
            ) : (
              <h2 className="px-2 pt-2 text-[11px] leading-4 font-semibold tracking-wide text-muted uppercase">
                {wordOf(line.category)} <span className="font-normal">{line.count}</span>
              </h2>
            )}
          </div>
        ))}
      </div>
    </nav>
  );
}

interface ToolLinkProps {
  readonly row: ToolRow;
  readonly href: string;
  readonly isCurrent: boolean;
}

function ToolLink({ row, href, isCurrent }: ToolLinkProps) {
  const t = useText();
  const well = row.enabled && row.health.status === "healthy";
  const dot = !row.enabled ? "bg-line" : well ? "bg-ok" : "bg-bad";
  return (
    <a
      href={href}
      aria-current={isCurrent ? "true" : undefined}
      title={row.description.slice(0, 200)}
      className="flex h-full items-center gap-2 rounded px-2 text-xs hover:bg-sunk aria-[current=true]:bg-accent-soft aria-[current=true]:text-accent"
    >
      <span className={`size-1.5 shrink-0 rounded-full ${dot}`} />
      <span className={`min-w-0 truncate ${row.enabled ? "" : "text-muted line-through"}`}>
        <PlainText text={row.name} line />
      </span>
      {!row.enabled && <span className="sr-only">{t("tools.off")}</span>}
      {row.annotations.dangerous === true && (
        <span className="ml-auto text-[10px] text-warn" title={t("tools.dangerous")}>
          ▲<span className="sr-only">{t("tools.dangerous")}</span>
        </span>
      )}
    </a>
  );
}

/** The tools that fit a text, below their categories. */
export function linesOf(rows: readonly ToolRow[], text: string): readonly Line[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ToolRow[]>();
  for (const row of rows) {
    const hay =
      `${row.name} ${row.aliases.join(" ")} ${row.category} ${row.origin} ${row.description}`.toLowerCase();
    if (!words.every((word) => hay.includes(word))) continue;
    const group = groups.get(row.category);
    if (group === undefined) groups.set(row.category, [row]);
    else group.push(row);
  }
  return [...groups]
    .sort(([one], [other]) => one.localeCompare(other))
    .flatMap(([category, tools]) => [
      { category, count: tools.length },
      ...tools.map((tool): Line => ({ tool })),
    ]);
}
