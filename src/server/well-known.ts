import type { ServerResponse } from "node:http";
import type { ResolvedConfig } from "../config/resolve-config.js";
import { notFound } from "./http-error.js";
import type { OAuthSettings } from "./identity/claims.js";
import { resourceMetadata, resourcePathOf } from "./identity/resource-metadata.js";
import { mcpEndpointOf, offeredAt } from "./mcp-endpoint.js";

export interface WellKnownOptions {
  readonly path: string;
  readonly base: string;
  readonly oauth: OAuthSettings | undefined;
  readonly endpoints: ResolvedConfig["endpoints"];
}

/** Answer the public questions about this server: how to get a token for `/mcp`. */
export function answerWellKnown(
  response: ServerResponse,
  { path, base, oauth, endpoints }: WellKnownOptions,
): void {
  const resource = resourcePathOf(path);
  if (oauth === undefined || resource === undefined) throw notFound("Address");
  offeredAt(mcpEndpointOf(resource) ?? "", endpoints);
  response
    .writeHead(200, { "content-type": "application/json; charset=utf-8" })
    .end(JSON.stringify(resourceMetadata(oauth, { base, path: resource })));
}
