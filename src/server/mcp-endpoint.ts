import type { ResolvedConfig } from "../config/resolve-config.js";
import type { Role } from "../contract/ports/access.js";
import type { Admission } from "./gate.js";
import { HttpError } from "./http-error.js";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Who sends a request, as the gate found out. */
export interface McpClient {
  /** The same for every request of one client, and of no other. */
  readonly id: string;
  readonly address: string;
  /** The name of a user with a token of its own. */
  readonly principal?: string | undefined;
  readonly userId?: string | undefined;
  readonly role?: Role | undefined;
  readonly endpoint?: string | undefined;
  readonly toolset?: string | undefined;
  readonly servers?: readonly string[] | undefined;
  readonly prompts?: readonly string[] | undefined;
  readonly native?: readonly ("anthropic" | "openai")[] | undefined;
  readonly listing?: "all" | "compact" | "search" | undefined;
}

/** A user whose role has changed is another client: sessions that it opened before are not its own any more. */
export function mcpClientOf(admitted: Admission, endpoint: string): Omit<McpClient, "address"> {
  const at = endpoint === "" ? {} : { endpoint };
  const suffix = endpoint === "" ? "" : `@${endpoint}`;
  if (admitted.by === "browser") return { id: `browser:${admitted.session.id}${suffix}`, ...at };
  if (admitted.by !== "user") return { id: `${admitted.by}${suffix}`, ...at };
  const { principal, role } = admitted.identity;
  return { id: `user:${principal}:${role}${suffix}`, principal, userId: principal, role, ...at };
}

/** The endpoint that a path names, "" for `/mcp` itself; `undefined` for any other path. */
export function mcpEndpointOf(path: string): string | undefined {
  if (path === "/mcp") return "";
  return /^\/mcp\/([^/]+)$/.exec(path)?.[1];
}

/** What a host that connects to an endpoint is offered; an endpoint that is not configured does not exist. */
export function offeredAt(
  name: string,
  endpoints: ResolvedConfig["endpoints"],
): ResolvedConfig["endpoints"][string] {
  if (name === "") return {};
  const found = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
  if (found !== undefined) return found;
  throw new HttpError(404, {
    code: "NOT_FOUND",
    message: "No such MCP endpoint.",
    hint: "See endpoints in the configuration, or run: tenon endpoints list",
  });
}

/** MCP over HTTP as the server mounts it: behind its checks of token, Host and Origin. */
export interface McpEndpoint {
  /** Answer one request of a client that was let in. */
  handle(request: IncomingMessage, response: ServerResponse, who: McpClient): Promise<void>;
  close(): Promise<void>;
}
