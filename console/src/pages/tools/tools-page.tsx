import { useEffect, useMemo, useState } from "react";
import type { ToolRow } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useFeed } from "../../feed/use-feed.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { PlainText } from "../../text/plain-text.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { ToolPane } from "./tool-pane.js";

/** All tools by category, and one of them in full. */
export default function ToolsPage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const mark = useFeed((state) => state.toolsMark);
  const tools = useApi<readonly ToolRow[]>("/api/tools");
  const { refetch } = tools;
  useEffect(() => {
    const timer = setTimeout(() => void refetch(), 300);
    return () => clearTimeout(timer);
  }, [Math.ceil(mark / 10), refetch]);
  const [text, setText] = useState("");
  const groups = useMemo(() => groupsOf(tools.data ?? [], text), [tools.data, text]);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
      <div className="flex max-h-72 min-h-0 flex-col rounded-md border border-line bg-panel lg:max-h-none lg:w-72 lg:shrink-0">
        <div className="border-b border-line p-2">
          <input
            type="search"
            className="field w-full"
            aria-label={t("tools.search")}
            placeholder={t("tools.search")}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <nav className="min-h-0 flex-1 overflow-auto p-2" aria-label={t("page.tools")}>
          <FaultNote fault={tools.error} />
          {tools.data !== undefined && groups.length === 0 && <Empty>{t("tools.none")}</Empty>}
          {groups.map(([category, rows]) => (
            <section key={category} aria-label={category}>
              <h2 className="px-2 pt-2 pb-1 text-[11px] font-semibold tracking-wide text-muted uppercase">
                {category} <span className="font-normal">{rows.length}</span>
              </h2>
              <ul>
                {rows.map((row) => (
                  <ToolLink key={row.name} row={row} current={row.name === id} />
                ))}
              </ul>
            </section>
          ))}
        </nav>
      </div>
      <div className="min-w-0 flex-1 overflow-auto">
        {id === undefined ? <Empty>{t("tools.choose")}</Empty> : <ToolPane key={id} name={id} />}
      </div>
    </div>
  );
}

function ToolLink({ row, current }: { readonly row: ToolRow; readonly current: boolean }) {
  const t = useText();
  const well = row.enabled && row.health.status === "healthy";
  const dot = !row.enabled ? "bg-line" : well ? "bg-ok" : "bg-bad";
  return (
    <li>
      <a
        href={hrefOf("tools", row.name)}
        aria-current={current ? "true" : undefined}
        title={row.description.slice(0, 200)}
        className="flex items-center gap-2 rounded px-2 py-1 text-xs hover:bg-sunk aria-[current=true]:bg-accent-soft aria-[current=true]:text-accent"
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
    </li>
  );
}

function groupsOf(
  rows: readonly ToolRow[],
  text: string,
): readonly (readonly [string, readonly ToolRow[]])[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ToolRow[]>();
  for (const row of rows) {
    const hay =
      `${row.name} ${row.aliases.join(" ")} ${row.category} ${row.origin} ${row.description}`.toLowerCase();
    if (!words.every((word) => hay.includes(word))) continue;
    groups.set(row.category, [...(groups.get(row.category) ?? []), row]);
  }
  return [...groups].sort(([one], [other]) => one.localeCompare(other));
}
