import type * as OpenId from "openid-client";
import { HttpError } from "../http-error.js";
import type { OidcSettings } from "./claims.js";

/** How long the provider may take to answer, in seconds. */
const timeoutSeconds = 10;
/** After a failure the provider is left alone for a while. */
const retryAfterMs = 5000;

export interface OpenedProvider {
  readonly client: typeof OpenId;
  readonly config: OpenId.Configuration;
}

/** The OpenID provider of the configuration; its library and its metadata are loaded with the first login. */
export class OpenIdProvider {
  readonly #settings: OidcSettings;
  readonly #now: () => number;
  #opening: Promise<OpenedProvider> | undefined;
  #failedAt = -Infinity;
  #fault: unknown;

  constructor(settings: OidcSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  async open(): Promise<OpenedProvider> {
    if (this.#opening === undefined && this.#now() - this.#failedAt < retryAfterMs)
      throw this.#unavailable(this.#fault);
    this.#opening ??= this.#discover();
    try {
      return await this.#opening;
    } catch (cause) {
      this.#opening = undefined;
      this.#failedAt = this.#now();
      this.#fault = cause;
      throw this.#unavailable(cause);
    }
  }

  /** What people see of a login that failed; the provider's own words stay in the server's log. */
  faultOf(cause: unknown): HttpError {
    const { code } = Object(cause) as { code?: unknown };
    // The provider or the browser sent something invalid, or the provider refused.
    if (typeof code === "string" && code.startsWith("OAUTH_") && code !== "OAUTH_TIMEOUT")
      return new HttpError(
        403,
        {
          code: "LOGIN_REFUSED",
          message: "The identity provider did not confirm this login.",
          hint: "Sign in again. The log of `tenon serve` has the reason.",
        },
        { cause },
      );
    return this.#unavailable(cause);
  }

  async logoutAddress(idToken: string, backTo: string): Promise<string | undefined> {
    const { client, config } = await this.open();
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
    return client.buildEndSessionUrl(config, {
      id_token_hint: idToken,
      post_logout_redirect_uri: backTo,
    }).href;
  }

  async #discover(): Promise<OpenedProvider> {
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret } = this.#settings;
    const isLocal = issuer.startsWith("http:"); // the configuration allows it for this machine only
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? client.None() : secretAuth(client, clientSecret),
      { timeout: timeoutSeconds, ...(isLocal && { execute: [client.allowInsecureRequests] }) },
    );
    // The signature of ID tokens is checked too, not only where they come from.
    client.enableNonRepudiationChecks(config);
    return { client, config };
  }

  #unavailable(cause: unknown): HttpError {
    return new HttpError(
      503,
      {
        code: "PROVIDER_UNAVAILABLE",
        message: `The identity provider ${this.#settings.issuer} cannot be reached.`,
        hint: "Try again, or sign in with a link: tenon serve link",
      },
      { retryAfter: 5, cause },
    );
  }
}

/** As the standard has it, unless the provider knows only the other way. */
function secretAuth(client: typeof OpenId, secret: string): OpenId.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    return (methods?.includes("client_secret_basic") === false ? post : basic)(server, ...rest);
  };
}
