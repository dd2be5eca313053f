import type { SecretScope } from "../../contract/ports/secrets.js";
import type { UpstreamSpec } from "../../contract/ports/upstream.js";
import { secretsOfServer } from "../../contract/secret-references.js";
import type { GatewaySecrets } from "./gateway-types.js";

/** The stored secrets that one server is given. */
export interface ServerSecrets {
  /** Another text for callers who get other values. Rejects where one is missing. */
  readonly pick: (owner: SecretScope) => Promise<string>;
  /** Hide them in what the server answers. */
  readonly hide: <T>(result: T) => T;
}

/** `undefined` for a server that refers to none. */
export function secretsFor(
  spec: UpstreamSpec,
  secrets: GatewaySecrets | undefined,
): ServerSecrets | undefined {
  const names = secretsOfServer(spec);
  if (names.length === 0 || secrets === undefined) return undefined;
  return { pick: (owner) => secrets.pick(names, owner), hide: (result) => secrets.hide(result) };
}
