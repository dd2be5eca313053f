import type { JWTVerifyGetKey } from "jose";
import { HttpError } from "../http-error.js";

/** How long a provider may take to answer. */
const timeoutMs = 5000;
/** A provider's metadata is small. */
const maxChars = 1_000_000;
/** After a failure the provider is left alone for a while: every request would ask it again. */
const retryAfterMs = 5000;

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** @default what the issuer's metadata says */
  readonly jwksUri?: string | undefined;
  readonly now: () => number;
}

/** The keys of an issuer: fetched with the first token, and again when a token names a key that is not known. */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: Promise<JWTVerifyGetKey> | undefined;
  #failedAt = -Infinity;
  #fault: unknown;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** Throws 503 where the provider cannot be asked: nothing is known about the token then. */
  async get(): Promise<JWTVerifyGetKey> {
    const { now, issuer } = this.#options;
    if (this.#keys === undefined && now() - this.#failedAt < retryAfterMs)
      throw providerUnavailable(issuer, this.#fault);
    this.#keys ??= this.#open();
    try {
      return await this.#keys;
    } catch (cause) {
      this.#keys = undefined;
      this.#failedAt = now();
      this.#fault = cause;
      throw providerUnavailable(issuer, cause);
    }
  }

  async #open(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet } = await import("jose");
    const address = this.#options.jwksUri ?? (await findKeys(this.#options.issuer));
    return createRemoteJWKSet(new URL(address), { timeoutDuration: timeoutMs, cooldownDuration: 10_000 });
  }
}

export function providerUnavailable(issuer: string, cause: unknown): HttpError {
  return new HttpError(
    503,
    {
      code: "PROVIDER_UNAVAILABLE",
      message: `The identity provider ${issuer} cannot be reached.`,
      hint: "Check auth.oauth.issuer in the configuration and the network of the server.",
    },
    { retryAfter: 5, cause },
  );
}

/** Where an issuer's metadata says that its keys are: as OAuth has it (RFC 8414), or as OpenID Connect. */
async function findKeys(issuer: string): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  let fault: unknown;
  for (const place of places) {
    try {
      return await readKeysAddress(place, issuer);
    } catch (cause) {
      fault = cause;
    }
  }
  throw fault;
}

async function readKeysAddress(place: string, issuer: string): Promise<string> {
  const response = await fetch(place, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok || text.length > maxChars) throw new Error(`${place} answered ${response.status}`);
  const found = JSON.parse(text) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  // The metadata of another issuer would vouch for tokens in this one's name.
  if (found.issuer !== issuer) throw new Error(`${place} is the metadata of another issuer`);
  if (typeof found.jwks_uri !== "string") throw new Error(`${place} names no keys (jwks_uri)`);
  const { protocol } = new URL(found.jwks_uri);
  if (protocol !== "https:" && new URL(issuer).protocol === "https:")
    throw new Error(`${place} names keys at an address that is not encrypted`);
  return found.jwks_uri;
}
