import type { FeedItem, LiveCall, PendingApproval, PendingQuestion } from "../api/types.js";
import { applyEvent, type FeedTables, rankOf, settle } from "./apply-event.js";
import { type Call, type Connection, type FeedState, keptCalls } from "./feed-state.js";

/** The page's picture of the server, outside React: events are gathered and shown once a frame. */
export interface FeedStore {
  readonly read: () => FeedState;
  readonly subscribe: (listener: () => void) => () => void;
  push(item: FeedItem): void;
  connection(state: Connection): void;
  /** Take over what the server knows; what the page has seen since wins. */
  load(snapshot: Snapshot): void;
  /** Forget all: the server is another one, or events were lost. */
  reset(): void;
  /** An approval or a question was answered here; do not wait for the event to take it away. */
  answered(id: string): void;
}

/** What the server knows at one moment. */
export interface Snapshot {
  readonly calls: readonly LiveCall[];
  readonly approvals: readonly PendingApproval[];
  readonly questions: readonly PendingQuestion[];
}

/** @param nextFrame How to wait for the next frame; a hidden page gets none, so it must use a timer then. */
export function createFeedStore(nextFrame: (run: () => void) => void): FeedStore {
  const tables = emptyTables();
  const listeners = new Set<() => void>();
  let pending: FeedItem[] = [];
  let scheduled = false;
  let dropped = 0;
  let state: FeedState = snapshotOf(tables, { version: 0, connection: "connecting", dropped });

  const flush = () => {
    scheduled = false;
    const batch = pending;
    pending = [];
    for (const item of batch) applyEvent(tables, item);
    dropped += forgetOldest(tables);
    publish({});
  };
  const publish = (change: { connection?: Connection }) => {
    state = snapshotOf(
      tables,
      { version: state.version + 1, connection: state.connection, dropped, ...change },
      state,
    );
    for (const listener of listeners) listener();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    nextFrame(flush);
  };

  return {
    read: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    push(item) {
      pending.push(item);
      schedule();
    },
    connection(connection) {
      if (connection !== state.connection) publish({ connection });
    },
    load({ calls, approvals, questions }) {
      mergeCalls(tables, calls);
      for (const asked of approvals)
        if (!tables.answered.has(asked.id)) tables.approvals.set(asked.id, asked);
      for (const asked of questions)
        if (!tables.answered.has(asked.id)) tables.questions.set(asked.id, asked);
      tables.toolsMark += 1;
      schedule();
    },
    reset() {
      pending = [];
      tables.calls.clear();
      tables.order.length = 0;
      tables.approvals.clear();
      tables.questions.clear();
      tables.answered.clear();
      dropped = 0;
      schedule();
    },
    answered(id) {
      settle(tables, id);
      schedule();
    },
  };
}

function emptyTables(): FeedTables {
  return {
    calls: new Map(),
    order: [],
    approvals: new Map(),
    questions: new Map(),
    answered: new Set(),
    toolsMark: 0,
  };
}

function snapshotOf(
  tables: FeedTables,
  own: Pick<FeedState, "version" | "connection" | "dropped">,
  before?: FeedState,
): FeedState {
  return {
    ...own,
    calls: tables.calls,
    order: tables.order,
    approvals: same(before?.approvals, tables.approvals),
    questions: same(before?.questions, tables.questions),
    toolsMark: tables.toolsMark,
  };
}

/** The list of before where nothing changed in it, so that what shows it is not drawn again. */
function same<T>(before: readonly T[] | undefined, now: ReadonlyMap<string, T>): readonly T[] {
  const list = [...now.values()];
  return before?.length === list.length && before.every((item, at) => item === list[at]) ? before : list;
}

/** The snapshot is newest first and may be older than events that have come already. */
function mergeCalls(tables: FeedTables, calls: readonly LiveCall[]): void {
  let unordered = false;
  for (const call of calls) {
    const known = tables.calls.get(call.callId);
    if (known === undefined) {
      tables.order.push(call.callId);
      unordered = true;
    }
    if (known === undefined || rankOf(known.state) < rankOf(call.state)) {
      tables.calls.set(call.callId, { ...known, ...call });
    }
  }
  if (!unordered) return;
  const at = (id: string) => (tables.calls.get(id) as Call).requestedAt;
  tables.order.sort((a, b) => at(a) - at(b));
}

/** Drop the oldest calls once there are too many, some at a time so that it is rarely done. */
function forgetOldest(tables: FeedTables): number {
  if (tables.order.length <= keptCalls) return 0;
  const gone = tables.order.splice(0, tables.order.length - keptCalls + keptCalls / 10);
  for (const id of gone) tables.calls.delete(id);
  return gone.length;
}
