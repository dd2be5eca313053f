import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { serverClock } from "../../api/server-clock.js";
import { choice, flag, text as textParam, useAddress, useTyped } from "../../address.js";
import type { Call, FeedState } from "../../feed/feed-state.js";
import { useFeed } from "../../feed/use-feed.js";
import { usePageTitle } from "../../i18n/page-title.js";
import { useText } from "../../i18n/use-text.js";
import { Button, LinkButton } from "../../ui/button.js";
import { hrefOf } from "../../route.js";
import { Empty } from "../../ui/panel.js";
import { VirtualList } from "../../ui/virtual-list.js";
import { SearchField } from "../../ui/search-field.js";
import { CallHead, CallRow, type Scale } from "./call-row.js";
import { matchCall, type StateFilter, stateFilters } from "./match-call.js";

const CallDetail = lazy(() => import("./call-detail.js"));

const params = { q: textParam(), state: choice(stateFilters, "all"), shared: flag(true) };

/** Calls as they happen, newest first. */
export default function LivePage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const titleOf = usePageTitle();
  const live = useFeed((state) => state);
  const [held, setHeld] = useState<FeedState>();
  const { values, set, choose } = useAddress("live", params);
  const { state: filter, shared } = values;
  const [typed, setTyped] = useTyped(values.q, (q) => set({ q }, { replace: true }));
  const state = held ?? live;
  const rows = useRows(state, typed, filter);
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), []);
  const at = (index: number) => state.calls.get(rows.idAt(index)) as Call;
  const now = serverClock.now();
  const scale = shared ? scaleOf(rows.count, range, at) : undefined;
  useTicking(held === undefined && anyActive(rows.count, range, at));
  const call = id === undefined ? undefined : (live.calls.get(id) ?? state.calls.get(id));
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label={t("live.filter")} value={typed} onChange={setTyped} />
        <select
          aria-label={t("live.state")}
          value={filter}
          onChange={(event) => set({ state: event.target.value as StateFilter })}
          className="field"
        >
          <option value="all">{t("live.all")}</option>
          <option value="active">{t("live.active")}</option>
          <option value="failed">{t("live.failed")}</option>
        </select>
        <Button
          aria-pressed={held !== undefined}
          onClick={() => setHeld(held === undefined ? copyOf(live) : undefined)}
        >
          {held === undefined ? t("live.pause") : t("live.resume")}
        </Button>
        <Button aria-pressed={shared} onClick={() => set({ shared: !shared })}>
          {shared ? t("live.shared") : t("live.own")}
        </Button>
        <Legend />
        <span className="ml-auto text-xs text-muted" data-testid="call-count">
          {t("live.count", { n: rows.count })}
          {live.dropped > 0 && ` · ${t("live.dropped", { n: live.dropped })}`}
        </span>
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
        <div className="@container flex min-h-40 flex-1 flex-col overflow-hidden rounded-md border border-line bg-panel lg:min-w-0">
          {rows.count === 0 ? (
            <Empty>{state.order.length === 0 ? t("live.none") : t("live.noMatch")}</Empty>
          ) : (
            <VirtualList
              head={<CallHead />}
              label={titleOf("live")}
              count={rows.count}
              rowHeight={34}
              growsAtTop
              idAt={rows.idAt}
              render={(index) => <CallRow call={at(index)} scale={scale} now={at(index).endedAt ?? now} />}
              selected={id}
              selectedIndex={id === undefined ? -1 : rows.indexOf(id)}
              onSelect={(next) => choose(next, { replace: id !== undefined })}
              onRange={onRange}
              className="flex-1"
            />
          )}
        </div>
        <Suspense>
          {call !== undefined && <CallDetail call={call} onClose={() => choose(undefined)} />}
        </Suspense>
        {id !== undefined && call === undefined && live.connection === "open" && (
          <GoneCall id={id} onClose={() => choose(undefined)} />
        )}
      </div>
    </div>
  );
}

/** An address may name a call that is too old to be here, or that never was. */
function GoneCall({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const t = useText();
  return (
    <aside aria-label={t("live.detail")} className="rounded-md border border-line bg-panel p-3 lg:w-80">
      <p className="mb-2">{t("live.gone")}</p>
      <span className="flex gap-2">
        <LinkButton href={hrefOf("log", id)}>{t("live.inLog")}</LinkButton>
        <Button look="quiet" onClick={onClose}>
          {t("close")}
        </Button>
      </span>
    </aside>
  );
}

/** Draw once in a while as long as the time of something in view goes on. */
function useTicking(active: boolean): void {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 500);
    return () => clearInterval(timer);
  }, [active]);
}

function anyActive(count: number, range: readonly [number, number], at: (index: number) => Call): boolean {
  for (let index = range[0]; index <= Math.min(range[1], count - 1); index += 1) {
    if (at(index).endedAt === undefined) return true;
  }
  return false;
}

function Legend() {
  const t = useText();
  const stages = [
    ["bg-muted", t("stage.waiting")],
    ["bg-warn", t("stage.asking")],
    ["bg-info", t("stage.running")],
  ] as const;
  return (
    <ul className="flex gap-3 text-xs text-muted" aria-label={t("live.legend")}>
      {stages.map(([color, name]) => (
        <li key={name} className="flex items-center gap-1">
          <span className={`h-2 w-4 rounded-sm ${color}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}

interface Rows {
  readonly count: number;
  readonly idAt: (index: number) => string;
  readonly indexOf: (id: string) => number;
}

/** Without a filter the order is read backwards as it is: no list of ten thousand is made for each frame. */
function useRows(state: FeedState, text: string, filter: StateFilter): Rows {
  return useMemo(() => {
    const plain = text.trim() === "" && filter === "all";
    const ids = plain
      ? state.order
      : state.order.filter((id) => matchCall(state.calls.get(id), text, filter));
    const count = ids.length;
    return {
      count,
      idAt: (index) => ids[count - 1 - index] ?? "",
      indexOf: (id) => {
        const index = ids.lastIndexOf(id);
        return index < 0 ? -1 : count - 1 - index;
      },
    };
  }, [state, text, filter]);
}

/** From the first request to the last end among the rows in view. */
function scaleOf(count: number, range: readonly [number, number], at: (index: number) => Call): Scale {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  const now = serverClock.now();
  for (let index = range[0]; index <= Math.min(range[1], count - 1); index += 1) {
    const call = at(index);
    from = Math.min(from, call.requestedAt);
    to = Math.max(to, call.endedAt ?? now);
  }
  return { from, to: Math.max(to, from + 1) };
}

function copyOf(state: FeedState): FeedState {
  return { ...state, calls: new Map(state.calls), order: [...state.order] };
}
