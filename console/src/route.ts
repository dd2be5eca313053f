import { useSyncExternalStore } from "react";
import { parseRoute, type Route } from "./parse-route.js";

export { hrefOf, parseRoute } from "./parse-route.js";

/** Where the address points. */
export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => window.location.hash));
}

/** Go to an address. @param options `replace` leaves no entry in the history, for what changes with every key. */
export function navigate(href: string, options: { readonly replace?: boolean } = {}): void {
  if (href === window.location.hash) return;
  if (options.replace === true) window.history.replaceState(null, "", href);
  else window.history.pushState(null, "", href);
  // The browser tells of its own changes only.
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}
