import { useEffect, useMemo, useRef, useState } from "react";
import { choice, text, useAddress } from "../../address.js";
import { useFeed } from "../../feed/use-feed.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf, navigate, parseRoute } from "../../route.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { Empty } from "../../ui/panel.js";
import { ApprovalPane } from "./approval-pane.js";
import { KeysHelp } from "./keys-help.js";
import { QuestionCard } from "./question-card.js";
import { QueueList } from "./queue-list.js";
import { isTyping } from "../../ui/is-typing.js";
import { fitsSearch, groupings, toItems, toRows, type WaitingItem } from "./waiting-item.js";

const params = { q: text(), group: choice(groupings, "none") };

/** All that waits for a person: a queue, and one of it in full. */
export default function ApprovalsPage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const approvals = useFeed((state) => state.approvals);
  const questions = useFeed((state) => state.questions);
  const { values, set } = useAddress("approvals", params);
  const { q: search, group: grouping } = values;
  const [notice, setNotice] = useState<string>();
  const items = useMemo(() => toItems(approvals, questions), [approvals, questions]);
  const shown = useMemo(() => items.filter((item) => fitsSearch(item, search)), [items, search]);
  const rows = useMemo(() => toRows(shown, grouping), [shown, grouping]);
  const order = useMemo(() => rows.flatMap((row) => ("item" in row ? [row.item] : [])), [rows]);
  const chosen = useChosen(order, id);
  useUnknown(items, id, () => setNotice(t("approvals.gone")));
  const [helping, setHelping] = useState(false);
  useMoving(order, chosen, () => setHelping(true));
  const inSession = items.filter(
    ({ approval, sessionId }) => approval !== undefined && sessionId === chosen?.sessionId,
  ).length;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      {notice !== undefined && (
        <p
          role="status"
          className="flex items-center justify-between gap-2 rounded border border-warn bg-warn-soft px-3 py-1 text-xs text-warn"
        >
          <PlainText text={notice} />
          <Button look="quiet" onClick={() => setNotice(undefined)}>
            {t("close")}
          </Button>
        </p>
      )}
      {items.length === 0 ? (
        <Empty>{t("approvals.none")}</Empty>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
          <QueueList
            rows={rows}
            total={items.length}
            chosen={chosen?.id}
            search={search}
            onSearch={(q) => set({ q }, { replace: true })}
            grouping={grouping}
            onGrouping={(group) => set({ group })}
            onChoose={choose}
          />
          <div className="flex min-h-0 min-w-0 flex-[3] flex-col">
            {chosen === undefined && <Empty>{t("approvals.noneFits")}</Empty>}
            {chosen?.approval !== undefined && (
              <ApprovalPane
                key={chosen.id}
                request={chosen.approval}
                client={chosen.client}
                inSession={inSession}
                quiet={helping}
                onLate={setNotice}
              />
            )}
            {chosen?.question !== undefined && (
              <QuestionCard key={chosen.id} pending={chosen.question} active />
            )}
          </div>
        </div>
      )}
      <KeysHelp open={helping} onClose={() => setHelping(false)} />
    </div>
  );
}

function choose(id: string): void {
  const { query } = parseRoute(window.location.hash);
  navigate(hrefOf("approvals", id, Object.fromEntries(new URLSearchParams(query))), { replace: true });
}

/** Tells of an address whose request was not here since the page is open: another one takes its place in view. */
function useUnknown(items: readonly WaitingItem[], id: string | undefined, onUnknown: () => void): void {
  const isOpen = useFeed((state) => state.connection === "open");
  const known = useRef(new Set<string>());
  for (const item of items) known.current.add(item.id);
  useEffect(() => {
    if (isOpen && id !== undefined && !known.current.has(id)) onUnknown();
  }, [isOpen, id]);
}

/** The one that the address names; when it goes, the one that took its place in the queue. */
function useChosen(order: readonly WaitingItem[], id: string | undefined): WaitingItem | undefined {
  const place = useRef(0);
  const at = order.findIndex((item) => item.id === id);
  const chosen = order[at === -1 ? Math.min(place.current, order.length - 1) : at];
  useEffect(() => {
    if (chosen === undefined) return;
    place.current = order.indexOf(chosen);
    if (chosen.id !== id) choose(chosen.id);
  }, [chosen, order, id]);
  return chosen;
}

/** `j` and `k` move through the queue, `?` tells all keys. */
function useMoving(order: readonly WaitingItem[], chosen: WaitingItem | undefined, onHelp: () => void): void {
  const latest = useRef({ order, chosen, onHelp });
  latest.current = { order, chosen, onHelp };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const { order: all, chosen: now } = latest.current;
      if (event.key === "?") latest.current.onHelp();
      if (event.key !== "j" && event.key !== "k") return;
      const at = all.findIndex((item) => item.id === now?.id) + (event.key === "j" ? 1 : -1);
      const next = all[Math.max(0, Math.min(all.length - 1, at))];
      if (next === undefined) return;
      event.preventDefault();
      choose(next.id);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
