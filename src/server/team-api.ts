import type { NamedToken, Principal } from "../contract/ports/access.js";
import type { SecretInfo } from "../contract/ports/secrets.js";
import type { HostSnippet } from "../mcp/host-snippets.js";
import type { McpHostView } from "../mcp/server/create-mcp-http.js";
import type { LimitUse } from "../registry/quotas.js";

/* What the server says about its users, MCP endpoints and limits; part of `api.ts`. */

/** A part of a long list; `more` where rows follow: ask again with `after` and the last row's name or id. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

/** `GET /api/users?text=&after=&limit=50`; `POST /api/users` adds one, `PUT` and `DELETE /api/users/:name` change and remove. */
export type UserView = Principal;

/** `GET /api/tokens?text=&user=&all=true&after=&limit=50`: one's own, or all for admins; `DELETE /api/tokens/:id` revokes. */
export type TokenView = NamedToken;

/** `POST /api/tokens`: the secret is shown here and never again. */
export interface CreatedToken {
  readonly token: TokenView;
  readonly secret: string;
}

/** `GET /api/secrets`: names, one's own or all for admins; `PUT` and `DELETE /api/secrets/:name` store and remove. */
export type SecretView = SecretInfo;

/** `GET /api/hosts`: the MCP hosts that are connected, one's own or all for approvers; `DELETE /api/hosts/:id` ends one. */
export type HostView = McpHostView;

/** `GET /api/endpoints`: where MCP hosts connect, what they are offered, and how each host is configured. */
export interface EndpointView {
  /** "" for `/mcp` itself. */
  readonly name: string;
  readonly url: string;
  readonly toolset?: string | undefined;
  readonly servers?: readonly string[] | undefined;
  readonly prompts?: readonly string[] | undefined;
  readonly native?: readonly string[] | undefined;
  readonly listing?: string | undefined;
  readonly limits?: Readonly<Record<string, number | undefined>> | undefined;
  /** How many rules of the policy are for it alone. */
  readonly rules: number;
  readonly hosts: readonly HostSnippet[];
}

/** `GET /api/limits`: limits on calls, as far as calls were counted, the fullest first. */
export type LimitView = LimitUse;
