import { ApiFault, get, openStream } from "../api/request.js";
import type { About, FeedHello, FeedItem, LiveCall, PendingApproval, PendingQuestion } from "../api/types.js";
import type { FeedStore } from "./feed-store.js";
import { readEventStream } from "./read-event-stream.js";

/** Keep the store fed for as long as the page lives; returns how to stop. */
export function connectFeed(store: FeedStore): () => void {
  let source: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastId = 0;
  let wait = 500;
  let greeted = false;
  let startedAt: number | undefined;
  let stopped = false;

  const open = async () => {
    const listening = new AbortController();
    source = listening;
    try {
      const path = lastId > 0 ? `/api/feed?after=${lastId}` : "/api/feed";
      await readEventStream(await openStream(path, listening.signal), ({ event, data }) => {
        if (listening.signal.aborted) return;
        if (event === "hello") void hello(JSON.parse(data) as FeedHello, listening.signal);
        else if (event === "message") take(data);
      });
      if (!listening.signal.aborted) lost();
    } catch (fault) {
      if (!listening.signal.aborted) failed(fault);
    }
  };
  const hello = async (greeting: FeedHello, signal: AbortSignal) => {
    wait = 500;
    // A server that counts from the start again is another one.
    if (greeting.reset || greeting.lastId < lastId) {
      store.reset();
      greeted = false;
    }
    // Also before any event has come: what happens while the connection is broken comes after this one.
    lastId = greeting.lastId;
    if (!greeted) {
      greeted = true;
      if (!(await load())) return;
    }
    if (!signal.aborted) store.connection("open");
  };
  const take = (data: string) => {
    const item = JSON.parse(data) as FeedItem;
    if (item.id <= lastId) return;
    lastId = item.id;
    store.push(item);
    // A person who answers must see all of it.
    const asked = item.event.payload as { readonly id?: string };
    if (item.cut === true && /ASKED|APPROVAL/.test(item.event.type)) void loadWhole(asked.id ?? "", 10);
  };
  /** The event may come before the server's list has the request. */
  const loadWhole = async (id: string, tries: number): Promise<void> => {
    await load();
    await new Promise((done) => setTimeout(done, 250));
    const { approvals, questions } = store.read();
    const known = [...approvals, ...questions].some((one) => one.id === id);
    if (!known && tries > 0 && !stopped) await loadWhole(id, tries - 1);
  };
  const load = async () => {
    try {
      const [about, calls, approvals, questions] = await Promise.all([
        get<About>("/api/about"),
        get<readonly LiveCall[]>("/api/calls?limit=2000"),
        get<readonly PendingApproval[]>("/api/approvals"),
        get<readonly PendingQuestion[]>("/api/questions"),
      ]);
      startedAt = about.startedAt;
      store.load({ calls, approvals, questions });
      return true;
    } catch (fault) {
      greeted = false;
      failed(fault);
      return false;
    }
  };
  const failed = (fault: unknown) => {
    if (fault instanceof ApiFault && fault.status === 401) store.connection("unauthorised");
    lost(fault instanceof ApiFault && awayCodes.has(fault.code) ? "away" : "lost");
  };
  const lost = (how: "lost" | "away" = "lost") => {
    if (stopped) return;
    source?.abort();
    if (store.read().connection !== "unauthorised") store.connection(how);
    clearTimeout(timer);
    timer = setTimeout(() => void retry(), wait);
    wait = Math.min(wait * 2, 8000);
  };
  // A server that was started again counts its events from elsewhere.
  const retry = async () => {
    try {
      const about = await get<About>("/api/about");
      if (startedAt !== undefined && startedAt !== about.startedAt) {
        lastId = 0;
        greeted = false;
        store.reset();
      }
      if (!stopped) void open();
    } catch (fault) {
      failed(fault);
    }
  };

  void open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    source?.abort();
  };
}

/** The server that answers is a front of a fleet, which has nobody to ask. */
const awayCodes = new Set(["FLEET_UNAVAILABLE", "WORKSPACE_UNAVAILABLE"]);
