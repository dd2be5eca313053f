import type { HttpError } from "../http-error.js";
import { mcpEndpointOf } from "../mcp-endpoint.js";
import { issuersOf } from "./access-tokens.js";
import type { OAuthSettings } from "./claims.js";

const wellKnown = "/.well-known/oauth-protected-resource";

/** The MCP address that a path asks the metadata of; `undefined` for any other path. */
export function resourcePathOf(path: string): string | undefined {
  if (path === wellKnown) return "/mcp";
  const rest = path.startsWith(wellKnown) ? path.slice(wellKnown.length) : "";
  return mcpEndpointOf(rest) === undefined ? undefined : rest;
}

/** What an MCP host needs to know to get a token (RFC 9728). */
export function resourceMetadata(
  settings: OAuthSettings,
  { base, path }: { readonly base: string; readonly path: string },
): Readonly<Record<string, unknown>> {
  const scopes = Object.keys(settings.scopes);
  return {
    resource: base + path,
    resource_name: "Tenon",
    authorization_servers: issuersOf(settings),
    bearer_methods_supported: ["header"],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
  };
}

/** The header that tells an MCP host where to get a token that would be accepted (RFC 6750, RFC 9728). */
export function challenge(
  { oauthError, message }: HttpError,
  settings: OAuthSettings,
  { base, path }: { readonly base: string; readonly path: string },
): string {
  const scope = Object.keys(settings.scopes).join(" ");
  const parts = {
    realm: "tenon",
    ...(oauthError !== undefined && { error: oauthError, error_description: message }),
    ...(oauthError === "insufficient_scope" && scope !== "" && { scope }),
    resource_metadata: `${base}${wellKnown}${path}`,
  };
  // Quotes and line breaks would end the value; no message of ours has them, but a scope or a path may.
  const texts = Object.entries(parts).map(([key, text]) => `${key}="${text.replace(/[^ !#-[\]-~]/g, "")}"`);
  return `Bearer ${texts.join(", ")}`;
}
