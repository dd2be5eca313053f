import type { RuntimeBase } from "../state/runtime-base.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { ClientConnection } from "../../contract/ports/client.js";
import { messageOf } from "../../contract/message-of.js";
import type { NetworkUse } from "../../contract/ports/processes.js";
import {
  loginNeeded,
  createOAuthProvider,
  type LoginStore,
  type OAuthSettings,
} from "../../mcp/client/oauth-provider.js";
import type { PartialCaller } from "../../mcp/gateway/caller.js";
import { createGateway } from "../../mcp/gateway/gateway.js";
import type { Gateway, McpServers } from "../../mcp/gateway/gateway-types.js";
import type { OpenServer } from "../../mcp/gateway/server-link.js";
import { createServerMemory } from "../../mcp/gateway/server-memory.js";
import { matchesName } from "../../glob/name-glob.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import type { Toolset, ToolsetEntry } from "../../registry/toolsets.js";
import { createHttpClient, type HttpClient } from "../../world/http/http-client.js";
import type { Redactor } from "../../world/secrets/redactor.js";
import type { SandboxTrial, TrialOptions } from "../world/observe-program.js";
import { secretsInConfig, toServerSettings } from "./server-settings.js";
import { createServerFetch } from "./server-fetch.js";
import { createServerLogs } from "./server-logs.js";
import { createLoginStore } from "./login-store.js";
import { compareServers, type ServerChanges } from "./server-changes.js";
import type { SecretVault } from "../secrets/secret-vault.js";
import { refusalNote, type ProgramSandboxes } from "../world/program-sandboxes.js";

export interface McpServersOptions extends RuntimeBase {
  readonly registry: ToolRegistry;
  readonly random: () => number;
  readonly redactor: Redactor;
  /** `false`: the process ends with its call, so servers that the call does not need are not started. */
  readonly background: boolean;
  /** Runs servers in the sandbox. */
  readonly programs: ProgramSandboxes;
  /** Stored secrets. */
  readonly vault: SecretVault;
}

/** The call that waits for a tool. */
interface ToolAwaiter {
  readonly toolset?: Toolset | undefined;
  readonly session?:
    | {
        readonly id: string;
        readonly endpoint?: string | undefined;
        readonly client?: ClientConnection | undefined;
      }
    | undefined;
}

/** The MCP servers of a runtime: the public methods and those for the runtime itself. */
export interface RuntimeServers extends McpServers {
  /** Whether the configuration has an enabled server. */
  readonly configured: boolean;
  /**
   * Use these servers instead of the configured ones: new ones start, others end after their running calls, and those
   * that stay the same are not touched. Servers that were connected in code stay.
   */
  reconfigure(servers: ResolvedConfig["mcpServers"]): Promise<ServerChanges>;
  /** Load what is known from earlier runs, and start the rest in the background. */
  load(): Promise<void>;
  /** The first connections will be made for this host. */
  expect(caller: PartialCaller): void;
  /** Wait until every enabled server whose tools are not known has listed them or failed, for at most `limitMs`. */
  settle(limitMs: number, caller?: PartialCaller): Promise<void>;
  /** Tell the servers of a session that its host's roots changed. */
  rootsChanged(sessionId: string): void;
  /** End the instances of servers that were a session's own. */
  endSession(sessionId: string): Promise<void>;
  /** Connect to all enabled servers now, and wait for at most `limitMs`. */
  tryAll(limitMs: number): Promise<void>;
  /** Wait for a tool of a server that has not listed its tools yet. */
  awaitTool(name: string, origin?: ToolAwaiter): Promise<void> | undefined;
  /** The tool of a wire name whose server has not listed its tools yet. */
  nameBehind(wireName: string): string | undefined;
  /** Log in to a server; `onLogin` gets the URL to open. */
  login(
    name: string,
    options: { readonly onLogin: (url: URL) => void; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Start a program in the sandbox once, apart from the configured servers, and find out what it tries to use. */
  tryInSandbox(
    name: string,
    server: Extract<ResolvedConfig["mcpServers"][string], { readonly command: string }>,
    options: TrialOptions,
  ): Promise<SandboxTrial>;
  /** The last lines that a server wrote to its standard error, in this process or an earlier one. */
  logs(name: string, options?: { readonly lines?: number | undefined }): readonly string[];
  /** Remove a login. */
  logout(name: string): Promise<boolean>;
  /** Remove the accepted definitions and the login of a server. */
  forget(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Add the servers of the configuration to the gateway; nothing is started or loaded yet. */
export function createMcpServers(parts: McpServersOptions): RuntimeServers {
  const { config, registry, state, redactor, clock, random } = parts;
  const { allowHosts, allowPrivate, timeoutMs } = config.network;
  let client: HttpClient | undefined;
  const guarded = (): HttpClient =>
    (client ??= createHttpClient({ allowHosts, allowPrivate, timeoutMs, maxBytes: 4 * 1024 * 1024 }));
  const logins = createLoginStore(parts.stateDir, redactor.addKnown);
  const logs = createServerLogs(parts.stateDir, parts.workspace, clock.now);
  const memory = createServerMemory(async () => (await state.open()).kv("mcp"));
  let configured = config.mcpServers;
  const hideSecrets = (servers: ResolvedConfig["mcpServers"]): void => {
    for (const server of Object.values(servers))
      secretsInConfig(server).forEach((secret) => redactor.addKnown(secret));
  };
  hideSecrets(configured);
  const oauthOf = (name: string): OAuthSettings | false => {
    const server = configured[name];
    return server !== undefined && "url" in server ? (server.oauth ?? {}) : {};
  };
  const gateway: Gateway = createGateway({
    registry: registry,
    memory,
    now: clock.now,
    random,
    hide: (text) => redactor.redact(text),
    matches: matchesName,
    secrets: {
      pick: (names, caller) => parts.vault.pick(names, caller),
      hide: (value) => parts.vault.handedOut.hide(value),
    },
    open: createOpen({ logins, guarded, oauthOf, programs: parts.programs, vault: parts.vault }),
    keepLine: (server, line) => logs.append(server, line),
  });
  for (const [name, server] of Object.entries(configured)) gateway.add(name, toServerSettings(server, parts));
  let changing: Promise<unknown> = Promise.resolve();
  const reconfigure = async (servers: ResolvedConfig["mcpServers"]): Promise<ServerChanges> => {
    const before = configured;
    const changes = compareServers(before, servers);
    hideSecrets(servers);
    configured = servers;
    const failed: { name: string; reason: string }[] = [];
    const replace = async (name: string): Promise<void> => {
      const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
      try {
        await gateway.replace(name, server && toServerSettings(server, parts));
      } catch (error) {
        failed.push({ name, reason: messageOf(error) });
      }
    };
    // Removed first: a server that was renamed keeps its program's ports and files to itself.
    await Promise.all(changes.removed.map(replace));
    await Promise.all([...changes.changed, ...changes.added].map(replace));
    return { ...changes, failed };
  };
  const addressOf = (name: string): string => {
    const server = configured[name];
    if (server !== undefined && "url" in server) return server.url;
    throw new ToolResourceNotFoundError(
      server === undefined ? `MCP server "${name}" not found.` : `MCP server "${name}" has no url.`,
      { hint: "Only servers with a url have a login." },
    );
  };
  return {
    ...gateway,
    get configured() {
      return Object.values(configured).some((server) => server.enabled !== false);
    },
    reconfigure(servers) {
      const change = changing.then(() => reconfigure(servers));
      changing = change.catch(() => undefined); // the caller gets the error
      return change;
    },
    async load() {
      await gateway.load();
      if (parts.background) gateway.start();
    },
    awaitTool(given, { toolset, session } = {}) {
      const name = gateway.nameBehind(given) ?? given;
      // A session that may not see the tool must not start its server either.
      if (!gateway.isLoading(name) || toolset?.has(standIn(name, configured)) === false) return undefined;
      const { id: sessionId, endpoint, client } = session ?? {};
      return gateway.awaitTool(name, { client, sessionId, endpoint });
    },
    async login(name, { onLogin, signal }) {
      const url = addressOf(name);
      const settings = oauthOf(name);
      if (settings === false) throw loginNeeded(name);
      const { logIn } = await import("../../mcp/client/log-in.js");
      const send = createServerFetch(url, guarded);
      await logIn({ server: name, url, settings, store: logins, fetch: send, signal, onLogin });
    },
    tryInSandbox: async (name, server, options) => {
      const { tryServer } = await import("./try-server.js");
      const spec = await parts.vault.fill(toServerSettings(server, parts).spec, {});
      return tryServer(name, spec, { ...options, programs: parts.programs });
    },
    logs: (name, { lines = 100 } = {}) => logs.read(name, lines),
    logout: (name) => logins.remove(name),
    async forget(name) {
      await memory.forget(name);
      await logins.remove(name);
    },
    async close() {
      await gateway.close();
      logs.close();
      await client?.close();
    },
  };
}

/** A placeholder for a tool that its server has not listed yet, with the most harmless annotations. */
function standIn(spec: string, servers: ResolvedConfig["mcpServers"]): ToolsetEntry {
  const [name = spec] = spec.split("@", 1);
  const trusted = servers[name.slice(0, name.indexOf(":"))]?.trustAnnotations === true;
  const annotations = trusted ? { readOnly: true } : { dangerous: true, openWorld: true };
  return { name, aliases: [], tool: { category: "mcp", annotations } };
}

interface ServerAccess {
  readonly logins: LoginStore;
  readonly guarded: () => HttpClient;
  readonly oauthOf: (server: string) => OAuthSettings | false;
  readonly programs: ProgramSandboxes;
  readonly vault: SecretVault;
}

/** Connect with the stored login; without one the server says whether it needs one. */
function createOpen({ logins, guarded, oauthOf, programs, vault }: ServerAccess): OpenServer {
  return async (server, given, { owner = {}, ...options }) => {
    const spec = await vault.fill(given, owner);
    const { openServer } = await import("../../mcp/client/open-server.js");
    if (spec.kind === "program") {
      const onNote = (note: string): void => options.onFault?.(note);
      const onNetwork = (use: NetworkUse): void => {
        if (use.verdict === "refused") onNote(refusalNote(use, `tenon mcp-servers sandbox ${server}`));
      };
      const confine = programs.confine({ kind: "server", name: server, onNetwork, onNote });
      return openServer(spec, { ...options, confine });
    }
    const settings = oauthOf(server);
    const record = settings === false ? undefined : await logins.load(server);
    const authProvider =
      settings !== false && record?.tokens !== undefined && record.url === spec.url
        ? createOAuthProvider({ server, settings, store: logins, record })
        : undefined;
    try {
      return await openServer(spec, {
        ...options,
        fetch: createServerFetch(spec.url, guarded),
        authProvider,
      });
    } catch (error) {
      throw wantsLogin(error) ? loginNeeded(server, error) : error;
    }
  };
}

function wantsLogin(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, data } = error as { code?: unknown; data?: { status?: unknown } };
  return (
    error.name === "UnauthorizedError" ||
    code === "LOGIN_NEEDED" ||
    data?.status === 401 ||
    wantsLogin(error.cause)
  );
}
