import { createContext, use, useSyncExternalStore } from "react";
import type { FeedState } from "./feed-state.js";
import type { FeedStore } from "./feed-store.js";

/** The store of this page. */
export const FeedContext = createContext<FeedStore | null>(null);

/** The store itself, to write to it. */
export function useFeedStore(): FeedStore {
  const store = use(FeedContext);
  if (store === null) throw new Error("There is no feed above this component.");
  return store;
}

/** A part of the feed's state; the component renders again only when that part changes. */
export function useFeed<T>(select: (state: FeedState) => T): T {
  const store = useFeedStore();
  return useSyncExternalStore(store.subscribe, () => select(store.read()));
}
