import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { get, withQuery } from "../../api/request.js";
import type { MemoryRow } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { toTime } from "../../text/format.js";
import { FoldedText } from "../../text/folded-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, toneOf } from "../../ui/badge.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";

/** What was learnt, newest or best first. */
export function Memories() {
  const t = useText();
  const [text, setText] = useState("");
  const query = useDeferredValue(text);
  const memories = useQuery({
    queryKey: ["/api/memories", query],
    queryFn: ({ signal }) => get<readonly MemoryRow[]>(withQuery("/api/memories", { query }), signal),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="flex flex-col gap-3">
      <input
        type="search"
        className="field w-72 max-w-full"
        aria-label={t("plan.searchMemory")}
        placeholder={t("plan.searchMemory")}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <FaultNote fault={memories.error} />
      {memories.data?.length === 0 && <Empty>{t("plan.noMemory")}</Empty>}
      <ul className="grid gap-2 lg:grid-cols-2">
        {memories.data?.map((memory) => (
          <li key={memory.id} className="rounded-md border border-line bg-panel p-3 text-xs">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone="info">{memory.kind}</Badge>
              <Badge>{memory.scope}</Badge>
              {memory.status !== undefined && <Badge tone={toneOf(memory.status)}>{memory.status}</Badge>}
              <span className="font-medium">
                <PlainText text={memory.title} line />
              </span>
              <span className="ml-auto text-muted tabular-nums">{toTime(memory.createdAt)}</span>
            </p>
            <p className="mt-1 wrap-anywhere whitespace-pre-wrap">
              <FoldedText text={memory.content} limit={2000} />
            </p>
            {memory.tags.length > 0 && (
              <p className="mt-1 text-muted">
                {memory.tags.map((tag) => (
                  <span key={tag} className="mr-2">
                    #<PlainText text={tag} line />
                  </span>
                ))}
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
