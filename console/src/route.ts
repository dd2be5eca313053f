import { useSyncExternalStore } from "react";

export const pages = [
  "live",
  "approvals",
  "jobs",
  "network",
  "tools",
  "metrics",
  "log",
  "changes",
  "plan",
  "mcp",
  "policy",
] as const;

export type Page = (typeof pages)[number];

export interface Route {
  readonly page: Page;
  /** What is chosen on it: a call, a tool. */
  readonly id?: string | undefined;
}

/** Where the address points. */
export function useRoute(): Route {
  return parse(useSyncExternalStore(subscribe, () => window.location.hash));
}

/** The address of a page, for links. */
export function hrefOf(page: Page, id?: string): string {
  return id === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

function parse(hash: string): Route {
  const [, name, id] = hash.split("/");
  const page = pages.find((candidate) => candidate === name) ?? "live";
  return { page, id: id === undefined || id === "" ? undefined : decode(id) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // Someone typed a percent sign.
  }
}
