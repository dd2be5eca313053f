import type { ResolvedConfig } from "../config/resolve-config.js";
import type { McpHttp, McpPrincipal } from "../mcp/server/create-mcp-http.js";
import type { Admission } from "./gate.js";
import { HttpError } from "./http-error.js";

/** A user whose role has changed counts as another client, without the sessions that were opened before. */
export function mcpPrincipalOf(admitted: Admission, endpoint: string, address: string): McpPrincipal {
  const suffix = endpoint === "" ? "" : `@${endpoint}`;
  const identity = "identity" in admitted ? admitted.identity : undefined;
  const by = admitted.by === "browser" ? `browser:${admitted.session.id}` : admitted.by;
  if (identity === undefined && endpoint === "") return { id: by, address };
  const at = endpoint === "" ? {} : { endpoint };
  if (identity === undefined) return { id: `${by}${suffix}`, address, ...at };
  const { principal, role } = identity;
  return { id: `user:${principal}:${role}${suffix}`, principal, userId: principal, role, address, ...at };
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
  if (found !== undefined) {
    const { limits: _limits, ...offered } = found;
    return offered;
  }
  throw new HttpError(404, {
    code: "NOT_FOUND",
    message: "MCP endpoint not found.",
    hint: "See endpoints in the configuration, or run: tenon endpoints list",
  });
}

/** MCP over HTTP as the server mounts it: behind its checks of token, Host and Origin. */
export type McpEndpoint = Pick<McpHttp, "handle" | "close"> & Partial<Pick<McpHttp, "hosts" | "endHost">>;
