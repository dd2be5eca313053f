import manifest from "../../package.json" with { type: "json" };
import type { Session } from "../runtime/sessions/session.js";
import type { Tenon } from "../runtime/tenon.js";
import { createDefinitionTokens } from "../runtime/catalogue/definition-tokens.js";
import { ClientCounts } from "./client-counts.js";
import type { ConsolePerson } from "./console-person.js";
import { Feed, type FeedOptions } from "./feed.js";
import { ConsoleLogin } from "./identity/console-login.js";
import { LiveCalls, type LiveCallsOptions } from "./live-calls.js";
import type { ServerMachine } from "./manage-api.js";
import { httpPrincipal } from "./principal.js";
import type { RouteContext } from "./route-context.js";
import { createSharedQueue } from "./shared-queue.js";
import { UserSessions } from "./user-sessions.js";
import { watchGoneUsers } from "./gone-users.js";
import type { McpEndpoint } from "./mcp-endpoint.js";
import { ownerOfSession } from "../contract/ownership.js";

export interface FollowOptions extends Pick<RouteContext, "now" | "access" | "boundPort"> {
  readonly machine?: ServerMachine | undefined;
  readonly mcp?: McpEndpoint | undefined;
  readonly person?: ConsolePerson | undefined;
  readonly workspace?: string | undefined;
  readonly feed?: Omit<FeedOptions, "now"> | undefined;
  readonly calls?: LiveCallsOptions | undefined;
  readonly onFault?: ((cause: unknown) => void) | undefined;
}

export interface FollowedTenon {
  readonly served: RouteContext;
  readonly pageSeenAt: () => number;
  readonly stop: () => Promise<void>;
}

const maxAdvice = 100;

/** Follow what happens in a Tenon, for the routes of the console. */
export function followTenon(tenon: Tenon, options: FollowOptions): FollowedTenon {
  const { now, access, boundPort, mcp } = options;
  const feed = new Feed({ ...options.feed, now });
  const calls = new LiveCalls(options.calls);
  const clients = new ClientCounts();
  const advice: { toolName: string; kind: string; message: string }[] = [];
  const unwatch = tenon.onAny((event) => {
    calls.take(event);
    clients.take(event);
    feed.push(event);
    if (event.type !== "ADVICE") return;
    const { toolName, kind, message } = event.payload;
    if (advice.push({ toolName, kind, message }) > maxAdvice) advice.shift();
  });
  let lookedAt = -Infinity;
  const pageSeenAt = (): number => Math.max(lookedAt, feed.clients > 0 ? now() : feed.leftAt);
  const queue = createSharedQueue({
    tenon,
    now,
    pages: () => ({ open: feed.clients, seenAt: pageSeenAt() }),
    onEvent: (event) => feed.push(event),
    onFault: (cause) => options.onFault?.(cause),
  });
  let session: Promise<Session> | undefined;
  const openSession = (): Promise<Session> =>
    (session ??= tenon
      .openNamedSession("console", { agent: "person", principal: httpPrincipal })
      .catch((thrown: unknown) => {
        session = undefined; // the next call tries again
        throw thrown;
      }));
  const users = new UserSessions(tenon, (cause) => options.onFault?.(cause));
  const { oidc } = tenon.config.auth;
  const served: RouteContext = {
    tenon,
    person: options.person,
    calls,
    clients,
    definitionTokens: createDefinitionTokens(tenon.registry),
    hosts: {
      list: () => mcp?.hosts?.() ?? [],
      end: (id) => mcp?.endHost?.(id) ?? false,
    },
    usages: new Map(),
    feed,
    queue,
    noteApprovalsRead: () => void (lookedAt = now()),
    advice,
    workspace: options.workspace ?? tenon.config.workspaceDir ?? process.cwd(),
    machine: options.machine,
    version: manifest.version,
    startedAt: now(),
    now,
    access,
    boundPort,
    login: oidc && new ConsoleLogin({ settings: oidc, access: tenon.access, now }),
    session: async (admitted) =>
      "identity" in admitted && admitted.identity !== undefined ? users.of(admitted.identity) : openSession(),
  };
  const stopWatchingUsers = watchGoneUsers({
    access: tenon.access,
    active: () => ({
      users: served.hosts.list().flatMap(({ user }) => user ?? []),
      sessions: calls.running().map(({ sessionId }) => sessionId),
    }),
    end: (user) => endUser(user, { tenon, calls, hosts: served.hosts }),
    onFault: (cause) => options.onFault?.(cause),
  });
  const stop = async (): Promise<void> => {
    unwatch();
    stopWatchingUsers();
    await queue.close();
    feed.close();
    access.close();
    await (await session?.catch(() => undefined))?.close();
    await users.close();
  };
  return { served, pageSeenAt, stop };
}

/** Nothing keeps running for a user who has lost access. */
function endUser(
  user: string,
  { tenon, calls, hosts }: Pick<RouteContext, "tenon" | "calls" | "hosts">,
): void {
  for (const host of hosts.list()) if (host.user === user) hosts.end(host.id);
  for (const { callId, sessionId } of calls.running())
    if (ownerOfSession(sessionId) === user)
      tenon.cancel(callId, `User "${user}" may no longer use this server.`);
}
