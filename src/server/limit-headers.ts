import type { ServerResponse } from "node:http";
import type { LimitUse } from "../registry/quotas.js";
import type { Tenon } from "../runtime/tenon.js";
import type { Admission } from "./gate.js";
import { userOf } from "./request-person.js";

/** Tell a host how many calls it has left, before it makes one. */
export function tellLimits(
  response: ServerResponse,
  limits: Tenon["limits"],
  { admitted, endpoint }: { readonly admitted: Admission; readonly endpoint: string },
): void {
  const userId = userOf(admitted)?.principal;
  const use = limits.tightest({ userId, endpoint: endpoint === "" ? undefined : endpoint });
  if (use === undefined) return;
  for (const [name, value] of Object.entries(limitHeaders(use))) response.setHeader(name, value);
}

/** A limit in the headers that clients know, of which the least is left. */
export function limitHeaders(use: LimitUse | undefined, now = Date.now()): Readonly<Record<string, string>> {
  if (use === undefined) return {};
  const { limit, used, per, availableAt } = use;
  const seconds = Math.max(Math.ceil(((availableAt ?? now) - now) / 1000), 0);
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(Math.max(limit - used, 0)),
    "ratelimit-reset": String(seconds),
    "ratelimit-policy": `${limit};w=${windowSeconds[per] ?? 0}`,
    ...(used >= limit && availableAt !== undefined && { "retry-after": String(seconds) }),
  };
}

const windowSeconds: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 };
