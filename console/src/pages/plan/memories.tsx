import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTyped } from "../../address.js";
import { get, withQuery } from "../../api/request.js";
import type { MemoryRow } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { SearchField } from "../../ui/search-field.js";
import { MemoryCard } from "./memory-card.js";
import { planText } from "./text.js";

const kinds = ["insight", "issue", "learning", "decision", "pattern"] as const;
export const scopes = ["all", "project", "iteration"] as const;

export interface MemoryFilter {
  readonly q: string;
  readonly kind: string;
  readonly scope: (typeof scopes)[number];
}

interface MemoriesProps {
  readonly filter: MemoryFilter;
  readonly onFilter: (change: Partial<MemoryFilter>, options?: { readonly replace?: boolean }) => void;
}

/** What was learnt, newest or best first. */
export function Memories({ filter, onFilter }: MemoriesProps) {
  const t = useText();
  const text = usePageText(planText);
  const wordOf = useWord();
  const { q, kind, scope } = filter;
  const [typed, setTyped] = useTyped(q, (next) => onFilter({ q: next }, { replace: true }));
  const memories = useQuery({
    queryKey: ["/api/memories", q, kind, scope],
    queryFn: ({ signal }) =>
      get<readonly MemoryRow[]>(withQuery("/api/memories", { query: q, kind, scope, limit: 100 }), signal),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <SearchField label={t("plan.searchMemory")} value={typed} onChange={setTyped} />
        <select
          className="field"
          aria-label={text("kind")}
          value={kind}
          onChange={(event) => onFilter({ kind: event.target.value })}
        >
          <option value="">{text("allKinds")}</option>
          {kinds.map((name) => (
            <option key={name} value={name}>
              {wordOf(name)}
            </option>
          ))}
        </select>
        <select
          className="field"
          aria-label={text("scope")}
          value={scope}
          onChange={(event) => onFilter({ scope: event.target.value as MemoryFilter["scope"] })}
        >
          {scopes.map((name) => (
            <option key={name} value={name}>
              {text(`scope.${name}`)}
            </option>
          ))}
        </select>
      </div>
      <FaultNote fault={memories.error} />
      {memories.data?.length === 0 && <Empty>{t("plan.noMemory")}</Empty>}
      <ul className="grid gap-2 lg:grid-cols-2">
        {memories.data?.map((memory) => (
          <MemoryCard key={memory.id} memory={memory} />
        ))}
      </ul>
    </div>
  );
}
