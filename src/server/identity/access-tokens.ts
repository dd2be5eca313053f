import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { errors as joseErrors, JWTPayload, JWTVerifyGetKey } from "jose";
import type { AccessStore, Identity, Login } from "../../contract/ports/access.js";
import { HttpError } from "../http-error.js";
import { kindIn, nameIn, roleOfToken, type OAuthSettings } from "./claims.js";
import { IssuerKeys, providerUnavailable } from "./issuer-keys.js";

/** Longer ones are not tokens of any provider, and cost time to look at. */
const maxTokenChars = 16_000;
/** A token that was checked is checked again after this time, since its key may have been withdrawn. */
const checkAgainMs = 300_000;
const maxKnown = 10_000;

export interface AccessTokensOptions {
  readonly settings: OAuthSettings;
  readonly access: AccessStore;
  readonly now: () => number;
}

type JoseErrors = typeof joseErrors;

/** The contents of a verified token. */
interface CheckedToken {
  readonly login: Login;
  readonly audiences: readonly string[];
  readonly expiresAt: number;
}

/** OAuth access tokens (JWT) of the configured issuers. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #issuers: ReadonlyMap<string, IssuerKeys>;
  readonly #known = new LRUCache<string, CheckedToken>({ max: maxKnown, ttl: checkAgainMs });

  constructor(options: AccessTokensOptions) {
    const { settings, now } = options;
    this.#options = options;
    this.#issuers = new Map(
      issuersOf(settings).map((issuer) => [
        issuer,
        new IssuerKeys({ issuer, jwksUri: settings.jwksUri, now }),
      ]),
    );
  }

  /** Who comes with a token for a resource; throws the answer to one that opens nothing. */
  async identify(token: string, resource: string): Promise<Identity> {
    const key = hash("sha256", token, "base64url");
    const known = this.#known.get(key);
    const checked = known ?? (await this.#check(token));
    const { settings, access, now } = this.#options;
    if (now() > checked.expiresAt) throw invalidToken("The token has expired.");
    const { audiences } = checked;
    if (![resource, ...listOf(settings.audience)].some((accepted) => audiences.includes(accepted)))
      throw invalidToken(`The token is not for ${resource}.`);
    const identity = await (known === undefined
      ? access.signIn(checked.login, settings)
      : access.identify(checked.login));
    if (identity === undefined) throw notAUser();
    if (known === undefined) this.#known.set(key, checked);
    return identity;
  }

  async #check(token: string): Promise<CheckedToken> {
    if (token.length > maxTokenChars) throw invalidToken("The token is too long.");
    const payload = await this.#verify(token);
    const { settings } = this.#options;
    // A token that is bound to a key (DPoP, mutual TLS) proves nothing without that key.
    if (payload["cnf"] !== undefined) throw invalidToken("The token is bound to a key; send a bearer token.");
    const granted = roleOfToken(payload, settings);
    if (granted === undefined) throw insufficientScope(settings);
    const { iss = "", sub = "", aud, exp = 0, iat } = payload;
    return {
      login: {
        issuer: iss,
        subject: sub,
        name: nameIn(payload, settings),
        kind: kindIn(payload),
        at: (iat ?? 0) * 1000,
        ...granted,
      },
      audiences: listOf(aud),
      expiresAt: exp * 1000 + settings.clockSkewMs,
    };
  }

  async #verify(token: string): Promise<JWTPayload> {
    const { decodeJwt, errors, jwtVerify } = await import("jose");
    const { settings, now } = this.#options;
    const issuer = readIssuer(token, decodeJwt);
    const keys = this.#issuers.get(issuer);
    if (keys === undefined) throw invalidToken("The token is from an issuer that is not accepted here.");
    const getKey: JWTVerifyGetKey = await keys.get();
    try {
      const { payload } = await jwtVerify(token, getKey, {
        issuer,
        algorithms: [...settings.algorithms],
        clockTolerance: settings.clockSkewMs / 1000,
        currentDate: new Date(now()),
        requiredClaims: ["exp", "sub", "aud"],
      });
      if (payload.sub === "") throw invalidToken("The token has no subject.");
      return payload;
    } catch (thrown) {
      if (thrown instanceof HttpError) throw thrown;
      if (thrown instanceof errors.JWTExpired) throw invalidToken("The token has expired.");
      if (isAboutToken(thrown, errors)) throw invalidToken("The token is not valid.");
      throw providerUnavailable(issuer, thrown);
    }
  }
}

export function issuersOf({ issuer }: Pick<OAuthSettings, "issuer">): readonly string[] {
  return listOf(issuer);
}

/** A failure that is the provider's or the network's says nothing about the token. */
function isAboutToken(thrown: unknown, errors: JoseErrors): boolean {
  if (thrown instanceof errors.JWKSTimeout || thrown instanceof errors.JWKSInvalid) return false;
  // The bare class is what jose throws for an answer of the provider that is not a set of keys.
  return thrown instanceof errors.JOSEError && thrown.code !== "ERR_JOSE_GENERIC";
}

/** Whose key is to be asked for; that it is true is checked afterwards. */
function readIssuer(token: string, decode: (token: string) => JWTPayload): string {
  try {
    return decode(token).iss ?? "";
  } catch {
    throw invalidToken("The token is not valid.");
  }
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}

/** The code is what OAuth (RFC 6750) calls it, for the `WWW-Authenticate` header. */
function invalidToken(message: string): HttpError {
  return new HttpError(
    401,
    { code: "TOKEN_INVALID", message, hint: "Sign in again, so that your client gets a new token." },
    { oauthError: "invalid_token" },
  );
}

function insufficientScope({ scopes, groups }: OAuthSettings): HttpError {
  const names = Object.keys(Object.keys(scopes).length > 0 ? scopes : groups).join(", ");
  return new HttpError(
    403,
    {
      code: "SCOPE_NEEDED",
      message: "The token gives no role here.",
      hint: names === "" ? "Ask an admin." : `It needs one of: ${names}`,
    },
    { oauthError: "insufficient_scope" },
  );
}

/** A person whom the provider has authenticated, but who has no access here. */
function notAUser(): HttpError {
  return new HttpError(403, {
    code: "USER_REFUSED",
    message: "This user is disabled, or not known here.",
    hint: "Ask an admin: tenon users list",
  });
}
