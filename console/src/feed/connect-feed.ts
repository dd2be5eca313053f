import { ApiFault, get } from "../api/request.js";
import type { About, FeedHello, FeedItem, LiveCall, PendingApproval, PendingQuestion } from "../api/types.js";
import type { FeedStore } from "./feed-store.js";

/** Keep the store fed for as long as the page lives; returns how to stop. */
export function connectFeed(store: FeedStore): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastId = 0;
  let wait = 500;
  let greeted = false;
  let startedAt: number | undefined;
  let stopped = false;

  const open = () => {
    source = new EventSource(lastId > 0 ? `/api/feed?after=${lastId}` : "/api/feed");
    source.addEventListener("hello", (message: MessageEvent<string>) => hello(JSON.parse(message.data)));
    source.addEventListener("message", (message: MessageEvent<string>) => take(message.data));
    source.addEventListener("error", lost);
  };
  const hello = (greeting: FeedHello) => {
    wait = 500;
    // A server that counts from the start again is another one.
    if (greeting.reset || greeting.lastId < lastId) {
      store.reset();
      greeted = false;
    }
    // Also before any event has come: what happens while the connection is broken comes after this one.
    lastId = greeting.lastId;
    store.connection("open");
    if (!greeted) void load();
    greeted = true;
  };
  const take = (data: string) => {
    const item = JSON.parse(data) as FeedItem;
    if (item.id <= lastId) return;
    lastId = item.id;
    store.push(item);
    // Whoever answers must see all of it.
    if (item.cut === true && /ASKED|APPROVAL/.test(item.event.type)) void load();
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
    } catch (fault) {
      if (fault instanceof ApiFault && fault.status === 401) store.connection("unauthorised");
      greeted = false;
      lost();
    }
  };
  const lost = () => {
    if (stopped) return;
    source?.close();
    if (store.read().connection !== "unauthorised") store.connection("lost");
    clearTimeout(timer);
    timer = setTimeout(() => void retry(), wait);
    wait = Math.min(wait * 2, 8000);
  };
  // The EventSource does not tell a refusal from a break, so an ordinary request finds out.
  const retry = async () => {
    try {
      const about = await get<About>("/api/about");
      if (startedAt !== undefined && startedAt !== about.startedAt) {
        lastId = 0;
        greeted = false;
        store.reset();
      }
      if (!stopped) open();
    } catch (fault) {
      if (fault instanceof ApiFault && fault.status === 401) store.connection("unauthorised");
      lost();
    }
  };

  open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    source?.close();
  };
}
