import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider, type ClientMetadata, type JWK } from "oidc-provider";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from "jose";

/** An authorization server and OpenID provider (`oidc-provider`) on a port of its own. */
export interface TestProvider {
  readonly issuer: string;
  /** The groups of a person from now on. */
  readonly groups: Map<string, readonly string[]>;
  readonly clients: { add(client: ClientMetadata): void };
  /** Sign a token with the provider's own key, or another one, whatever it says. */
  sign(claims: JWTPayload, header?: Readonly<Record<string, unknown>>, key?: CryptoKey): Promise<string>;
  /** Replace the signing key; the old one is not published any more. */
  rotate(): Promise<void>;
  /** How often the keys were asked for. */
  keyRequests(): number;
  /** Go through the provider's pages as a person does; ends where it sends the browser back. */
  signIn(address: URL | string, person: string, jar?: CookieJar): Promise<URL>;
  close(): Promise<void>;
}

export type CookieJar = Map<string, string>;

interface Key {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
}

export async function openProvider(): Promise<TestProvider> {
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const groups = new Map<string, readonly string[]>();
  const clients: ClientMetadata[] = [];
  let key = await createKey("key-1");
  let provider = createProvider(issuer, { key, groups, clients });
  let keyRequests = 0;
  answer = (request, response) => {
    if (request.url === "/jwks") {
      keyRequests++;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ keys: [key.publicJwk] }));
    } else if (request.url?.startsWith("/interaction/") === true) {
      interact(provider, request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
    } else void provider.callback()(request, response);
  };
  return {
    issuer,
    groups,
    clients: {
      add(client) {
        clients.push(client);
        provider = createProvider(issuer, { key, groups, clients });
      },
    },
    sign: (claims, header = {}, signer = key.privateKey) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid, ...header }).sign(signer),
    async rotate() {
      key = await createKey(`key-${Number(key.kid.slice(4)) + 1}`);
      provider = createProvider(issuer, { key, groups, clients });
    },
    keyRequests: () => keyRequests,
    signIn: (address, person, jar = new Map()) => walk(new URL(address), { issuer, person, jar }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a host says about itself at an address, in the place of registering. */
export const clientDocument = {
  client_id: "https://host.example.org/client.json",
  client_name: "Test host",
  redirect_uris: ["http://127.0.0.1:9/callback"],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code"],
  response_types: ["code"],
};

async function createKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const more = { kid, alg: "RS256", use: "sig" };
  return {
    kid,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), ...more },
    privateJwk: { ...(await exportJWK(privateKey)), ...more },
  };
}

function createProvider(
  issuer: string,
  { key, groups, clients }: { key: Key; groups: Map<string, readonly string[]>; clients: ClientMetadata[] },
): Provider {
  const about = (person: string) => ({ preferred_username: person, groups: groups.get(person) ?? [] });
  return new Provider(issuer, {
    clients: [...clients],
    jwks: { keys: [key.privateJwk] },
    cookies: { keys: ["only for tests"] },
    scopes: ["openid", "offline_access", "tenon:read", "tenon:call"],
    claims: { openid: ["sub", "preferred_username", "groups"] },
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...about(sub) }) }),
    extraTokenClaims: (_, token) => ("accountId" in token ? about(token.accountId) : {}),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    // Only documents of clients are asked for, at an address that does not exist.
    fetch: async () => Response.json(clientDocument),
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      clientCredentials: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = `<html><body>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button></body></html>`;
        },
      },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: "tenon:read tenon:call",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
}

/** The provider's login page: a name is enough, and everything is consented to. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params, prompt, session } = await provider.interactionDetails(request, response);
  if (request.method !== "POST" && prompt.name === "login") {
    response.setHeader("content-type", "text/html");
    response.end(
      `<html><body><h1>Provider</h1><form method="post"><input name="person"><button>Sign in</button></form></body></html>`,
    );
    return;
  }
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const person = new URLSearchParams(body).get("person") ?? session?.accountId ?? "";
  const scope = typeof params["scope"] === "string" ? params["scope"] : "";
  const grant = new provider.Grant({ accountId: person, clientId: String(params["client_id"]) });
  grant.addOIDCScope(`openid offline_access ${scope}`);
  const resources = [params["resource"] ?? []].flat() as string[];
  for (const resource of resources) grant.addResourceScope(resource, scope);
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, {
    login: { accountId: person },
    consent: { grantId },
  });
}

/** Follow redirects with cookies, filling in the login form, until the way leads back to the client. */
async function walk(
  start: URL,
  { issuer, person, jar }: { issuer: string; person: string; jar: CookieJar },
): Promise<URL> {
  let at = start;
  for (let step = 0; step < 10; step++) {
    if (at.origin !== issuer) return at;
    const isForm = at.pathname.startsWith("/interaction/");
    const response = await fetch(at, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(isForm && { method: "POST", body: new URLSearchParams({ person }) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const to = response.headers.get("location");
    if (to === null) throw new Error(`${at.href}: ${response.status} ${await response.text()}`);
    at = new URL(to, at);
  }
  throw new Error("The provider redirects without an end.");
}
