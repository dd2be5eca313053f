import type { ResolvedConfig } from "../../config/resolve-config.js";
import { ToolError, ToolPermissionError } from "../../contract/errors.js";
import type { PathVerdict } from "../../contract/ports/files.js";
import type { Http } from "../../contract/ports/http.js";
import type { CallScope } from "../../contract/session.js";
import type { Policy } from "../../policy/create-policy.js";
import { compileHosts } from "../../world/http/host-rules.js";
import { createHttpClient } from "../../world/http/http-client.js";
import type { HandedOutSecrets } from "../secrets/handed-out.js";
import { judgeTarget, judgeUrl, nameOf, targetOf } from "../../world/http/judge-target.js";

/** Who wants to reach a host. */
export interface HostCaller {
  readonly toolName: string;
  readonly session: Pick<CallScope["session"], "agent" | "userId" | "id">;
}

/** HTTP for all calls, over shared connections. */
export interface Network {
  /** The verdict on a host by its name; nothing is resolved. @param isNamed Private addresses may be named. */
  checkHost(host: string, isNamed: boolean): PathVerdict;
  forCall(scope: CallScope): Http;
  /** Throws if a rule denies the call a host. */
  judgeHost(this: void, caller: HostCaller, host: string): void;
  close(): Promise<void>;
}

/** One guarded client; a redirect to a host that the policy denies is refused like a request to it. */
export function createNetwork(config: ResolvedConfig, policy: Policy, secrets: HandedOutSecrets): Network {
  const { allowHosts, allowPrivate, maxBytes, timeoutMs } = config.network;
  const client = createHttpClient({ allowHosts, allowPrivate, maxBytes, timeoutMs });
  const hosts = compileHosts(allowHosts);
  return {
    checkHost: (host, isNamed) => {
      if (!URL.canParse(`http://${host}`)) return { allowed: true, path: host };
      const url = new URL(`http://${host}`);
      try {
        if (isNamed)
          judgeTarget(targetOf(url), { hosts: { ...hosts, matches: () => true }, allowPrivate: true });
        else judgeUrl(url, { hosts, allowPrivate });
        return { allowed: true, path: host };
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        return { allowed: false, code: error.code, reason: error.message };
      }
    },
    forCall: (scope) => ({
      request: async (request) => {
        secrets.refuseIn(request, scope.toolName);
        return client.request({ signal: scope.signal, ...request }, (target) =>
          refuseDenied(policy, scope, nameOf(target)),
        );
      },
    }),
    judgeHost: (scope, host) => refuseDenied(policy, scope, host),
    close: () => client.close(),
  };
}

/** Only `deny` matters here: approvals were asked for before the call started. */
function refuseDenied(policy: Policy, { toolName, session }: HostCaller, host: string): void {
  const decision = policy.decide({
    toolName,
    category: "network",
    annotations: { readOnly: true, openWorld: true },
    agent: session.agent,
    userId: session.userId,
    sessionId: session.id,
    reads: [{ host }],
    writes: [],
  });
  if (decision.behavior !== "deny") return;
  const byHost = policy.rules().find(({ id }) => id === decision.rule)?.rule.host !== undefined;
  if (!byHost) return;
  throw new ToolPermissionError(decision.reason, {
    code: "NETWORK_REFUSED",
    toolName,
    details: { rule: decision.rule, source: decision.source },
  });
}
