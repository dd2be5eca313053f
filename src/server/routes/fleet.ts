import type { Hono } from "hono";

/** A server that works alone has no fleet; a front answers this address itself. */
export function addFleet(api: Hono): void {
  api.get("/fleet", (c) => c.json(null));
}
