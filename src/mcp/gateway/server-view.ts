import type { FaultLog } from "./fault-log.js";
import type { GatewayServer } from "./gateway-server.js";
import type { ServerView } from "./gateway-types.js";
import { describeTarget } from "./server-target.js";

/** A server as lists show it. */
export function toServerView(
  { name, settings, enabled, links, catalogue }: GatewayServer,
  { faults: log, hide }: { readonly faults: FaultLog; readonly hide: (text: string) => string },
): ServerView {
  const { connection, reason, nextTryAt, needsLogin } = links.primary;
  const faults = log.faults();
  const fault = reason ?? faults.at(-1)?.message;
  return {
    name,
    target: hide(describeTarget(settings)),
    state: enabled ? links.shownState : "disabled",
    ...(connection !== undefined && { protocol: connection.protocol }),
    ...(fault !== undefined && { fault }),
    ...catalogue.view(),
    ...(needsLogin && { needsLogin }),
    ...(nextTryAt !== undefined && { nextTryAt }),
    ...(connection?.pid !== undefined && { pid: connection.pid }),
    ...(settings.spec.kind === "program" && { sandbox: settings.spec.sandbox ?? false }),
    faults,
    log: log.output(),
  };
}
