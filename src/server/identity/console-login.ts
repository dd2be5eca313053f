import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type * as OpenId from "openid-client";
import type { AccessStore, Identity, Login } from "../../contract/ports/access.js";
import { seal, unseal } from "../../contract/seal.js";
import { HttpError } from "../http-error.js";
import { nameIn, roleByGroups, type Claims, type OidcSettings } from "./claims.js";
import { OpenIdProvider, type OpenedProvider } from "./openid-provider.js";
import { safeReturnTo } from "./return-to.js";

/** How long people may take at the provider. */
const loginMs = 600_000;
const cookiePurpose = "tenon login";

/** Where a browser begins to sign in. */
export const loginPath = "/login";
/** The redirect address. It is beside the console's page, so that relative paths to the page's files work. */
export const callbackPath = "/login-return";
/** Tells a page that it can offer to sign in. */
export const loginMethodsPath = "/login-methods";

export interface ConsoleLoginOptions {
  readonly settings: OidcSettings;
  readonly access: AccessStore;
  readonly now: () => number;
}

/** A login that a browser has started; it is stored in a cookie of that browser, so that no other one can complete it. */
interface BegunLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly until: number;
  /** The session that the browser had before. */
  readonly earlier?: string | undefined;
}

/** A person whom the provider has signed in. */
export interface ConsoleUser {
  readonly login: Login;
  readonly identity: Identity;
  /** For the sign-out at the provider. */
  readonly idToken: string;
}

/** Signing in to the console with an OpenID provider: authorization code with PKCE, state and nonce. */
export class ConsoleLogin {
  readonly #options: ConsoleLoginOptions;
  readonly #provider: OpenIdProvider;
  /** Cookies open with it; a restart of the server ends logins that are under way. */
  readonly #key = randomBytes(32);
  /** States that came back: each counts once. */
  readonly #used = new LRUCache<string, true>({ max: 100_000, ttl: loginMs });

  constructor(options: ConsoleLoginOptions) {
    this.#options = options;
    this.#provider = new OpenIdProvider(options.settings, options.now);
  }

  /** Where to send a browser that wants to sign in, and the cookie that it gets. */
  async begin({ base, returnTo, earlier }: BeginOptions): Promise<{ location: string; cookie: LoginCookie }> {
    const { client, config } = await this.#provider.open();
    const verifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const begun: BegunLogin = {
      state,
      nonce,
      verifier,
      returnTo: safeReturnTo(returnTo),
      until: this.#options.now() + loginMs,
      earlier,
    };
    const location = client.buildAuthorizationUrl(config, {
      redirect_uri: base + callbackPath,
      scope: this.#options.settings.scope,
      response_type: "code",
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    const value = seal(JSON.stringify(begun), this.#key, cookiePurpose);
    return { location: location.href, cookie: { suffix: cookieSuffix(state), value, maxAgeMs: loginMs } };
  }

  /** Take up a login that the provider sent back. */
  async finish(url: URL, cookies: (suffix: string) => readonly string[]): Promise<FinishedLogin> {
    const begun = this.#take(url.searchParams.get("state") ?? "", cookies);
    const { client, config } = await this.#provider.open();
    const tokens = await client
      .authorizationCodeGrant(config, url, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        idTokenExpected: true,
      })
      .catch((thrown: unknown) => {
        throw this.#provider.faultOf(thrown);
      });
    const claims = await this.#claimsOf(tokens, { client, config });
    const user = await this.#identify(claims);
    return {
      user: { ...user, idToken: tokens.id_token ?? "" },
      returnTo: begun.returnTo,
      earlier: begun.earlier,
    };
  }

  /** Where a browser signs out at the provider too; `undefined` where the provider has no such place. */
  logoutAddress(idToken: string, base: string): Promise<string | undefined> {
    return this.#provider.logoutAddress(idToken, `${base}/`);
  }

  #take(state: string, cookies: (suffix: string) => readonly string[]): BegunLogin {
    const opened = cookies(cookieSuffix(state)).map((cookie) => unseal(cookie, this.#key, cookiePurpose));
    const begun = opened.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as BegunLogin]));
    const own = begun.find((each) => each.state === state && each.until > this.#options.now());
    if (own === undefined || this.#used.has(state)) throw notBegunHere();
    this.#used.set(state, true);
    return own;
  }

  /** Some providers tell the groups only where a token is shown. */
  async #claimsOf(tokens: Tokens, { client, config }: OpenedProvider): Promise<Claims> {
    const claims = tokens.claims();
    if (claims === undefined) throw loginRefused("The provider sent no ID token.");
    const { groups, groupsClaim } = this.#options.settings;
    const needsGroups = Object.keys(groups).length > 0 && !((groupsClaim.split(".")[0] as string) in claims);
    if (!needsGroups || config.serverMetadata().userinfo_endpoint === undefined) return claims;
    const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
    return { ...more, ...claims };
  }

  async #identify(claims: Claims): Promise<{ login: Login; identity: Identity }> {
    const { settings, access, now } = this.#options;
    const role = roleByGroups(claims, settings);
    if (role === undefined) throw noRole();
    const login: Login = {
      issuer: settings.issuer,
      subject: String(claims["sub"]),
      name: nameIn(claims, settings),
      kind: "person",
      role,
      at: now(),
      isWhole: true,
    };
    const identity = await access.signIn(login, settings);
    if (identity === undefined) throw loginRefused("This user is disabled, or not known here.");
    return { login, identity };
  }
}

export interface BeginOptions {
  readonly base: string;
  readonly returnTo: string | null;
  readonly earlier: string | undefined;
}

export interface LoginCookie {
  /** Each login has a cookie of its own: two tabs may sign in at once. */
  readonly suffix: string;
  readonly value: string;
  readonly maxAgeMs: number;
}

export interface FinishedLogin {
  readonly user: ConsoleUser;
  readonly returnTo: string;
  readonly earlier: string | undefined;
}

type Tokens = OpenId.TokenEndpointResponse & OpenId.TokenEndpointResponseHelpers;

export function cookieSuffix(state: string): string {
  return `login_${state.replace(/\W/g, "").slice(0, 16)}`;
}

/** If another site could complete a login of its own in this browser, its user would work in another person's name. */
function notBegunHere(): HttpError {
  return new HttpError(403, {
    code: "LOGIN_REFUSED",
    message: "This login was not begun in this browser, took longer than ten minutes, or was used already.",
    hint: "Open the console's own address and sign in again.",
  });
}

function noRole(): HttpError {
  return loginRefused("None of your account's groups has a role here.");
}

function loginRefused(message: string): HttpError {
  return new HttpError(403, { code: "LOGIN_REFUSED", message, hint: "Ask an admin of this server." });
}
