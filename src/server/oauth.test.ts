import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { OAuthClientProvider, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { generateKeyPair, type JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { clientDocument, openProvider, type TestProvider } from "./testing/open-provider.js";
import { openTestServer, type Reply, type TestServer } from "./testing/open-server.js";

let provider: TestProvider;
let at: TestServer;
let time = Date.now();
const greeting = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

beforeAll(async () => {
  provider = await openProvider();
  at = await openTestServer({
    now: () => time,
    tenonOptions: {
      config: {
        endpoints: { review: { toolset: "all" } },
        auth: {
          oauth: {
            issuer: provider.issuer,
            audience: "tenon-team",
            scopes: { "tenon:read": "viewer", "tenon:call": "operator" },
          },
        },
      },
    },
  });
});
afterAll(async () => {
  await at.close();
  await provider.close();
});

const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: provider.issuer,
  sub: "mallory",
  aud: `${at.server.url}/mcp`,
  scope: "tenon:call",
  iat: Math.floor(time / 1000),
  exp: Math.floor(time / 1000) + 300,
  ...more,
});

const greet = (token: string, path = "/mcp", headers: Record<string, string> = {}): Promise<Reply> =>
  at.ask(path, {
    method: "POST",
    body: greeting,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An MCP host that signs in as a person, by the official SDK. */
function createHost(person: string, clientMetadataUrl?: string) {
  let verifier = "";
  let tokens: StoredOAuthTokens | undefined;
  let registered: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  let back: URL | undefined;
  let asked: URL | undefined;
  const redirectUrl = "http://127.0.0.1:9/callback";
  const auth: OAuthClientProvider = {
    redirectUrl,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      client_name: "Test host",
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    },
    clientInformation: () => registered,
    saveClientInformation: (information) => void (registered = information),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    saveCodeVerifier: (saved) => void (verifier = saved),
    codeVerifier: () => verifier,
    async redirectToAuthorization(address) {
      asked = address;
      back = await provider.signIn(address, person);
    },
  };
  const connect = async (path: string): Promise<Client> => {
    const open = () =>
      new StreamableHTTPClientTransport(new URL(at.server.url + path), { authProvider: auth });
    const transport = open();
    await expect(new Client({ name: "test-host", version: "1" }).connect(transport)).rejects.toThrow(
      UnauthorizedError,
    );
    await transport.finishAuth(back?.searchParams ?? new URLSearchParams());
    const client = new Client({ name: "test-host", version: "1" });
    await client.connect(open());
    return client;
  };
  return { connect, asked: () => asked, token: () => tokens?.access_token ?? "" };
}

describe("the whole flow, by the official client", () => {
  it("registers, signs in with PKCE for this resource, and calls a tool in the person's own name", async () => {
    const host = createHost("Alice");
    const client = await host.connect("/mcp");
    const { searchParams } = host.asked() ?? new URL("http://x");
    expect(searchParams.get("resource")).toBe(`${at.server.url}/mcp`);
    expect(searchParams.get("code_challenge_method")).toBe("S256");
    expect(searchParams.get("scope")).toContain("tenon:call");
    const answer = await client.callTool({ name: "current_time", arguments: {} });
    expect(answer.isError).not.toBe(true);
    expect(await at.tenon.access.principals()).toContainEqual(
      expect.objectContaining({ name: "alice", kind: "person", role: "operator", roleFromLogin: true }),
    );
    const log = await at.ask("/api/log?limit=20");
    expect(JSON.stringify(log.body)).toContain('"userId":"alice"');
    expect(JSON.stringify(log.body)).not.toContain(host.token().split(".")[2]);
    await client.close();
  });

  it("works without registering, for a host that describes itself at an address", async () => {
    const host = createHost("carol", clientDocument.client_id);
    const client = await host.connect("/mcp");
    expect(host.asked()?.searchParams.get("client_id")).toBe(clientDocument.client_id);
    expect((await client.callTool({ name: "current_time", arguments: {} })).isError).not.toBe(true);
    expect(await at.tenon.access.principal("carol")).toMatchObject({ role: "operator" });
    await client.close();
  });

  it("gives a token for an endpoint that opens this endpoint and no other address", async () => {
    const host = createHost("bob");
    const client = await host.connect("/mcp/review");
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
    const token = host.token();
    expect((await greet(token, "/mcp/review")).status).toBe(200);
    expect((await greet(token, "/mcp")).status).toBe(401);
    const elsewhere = await at.ask("/api/tools", { headers: { authorization: `Bearer ${token}` } });
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([403, "TOKEN_FOR_MCP"]);
  });
});

describe("the metadata of the resource", () => {
  it("tells anybody where to get a token, for each endpoint that exists", async () => {
    const read = (path: string) => at.ask(`/.well-known/oauth-protected-resource${path}`, { bare: true });
    for (const [path, resource] of [
      ["", "/mcp"],
      ["/mcp", "/mcp"],
      ["/mcp/review", "/mcp/review"],
    ]) {
      const { status, body } = await read(path ?? "");
      expect(status).toBe(200);
      expect(body).toMatchObject({
        resource: at.server.url + resource,
        authorization_servers: [provider.issuer],
        scopes_supported: ["tenon:read", "tenon:call"],
        bearer_methods_supported: ["header"],
      });
    }
    for (const path of ["/mcp/none", "/mcp/..", "/api/tools", "/mcp/review/more", "x"])
      expect((await read(path)).status).toBe(404);
    expect((await at.ask("/.well-known/openid-configuration", { bare: true })).status).toBe(404);
  });

  it("is named by a 401, and the scopes by a 403", async () => {
    const nothing = await at.ask("/mcp", { method: "POST", body: greeting, bare: true });
    expect(nothing.status).toBe(401);
    expect(nothing.headers["www-authenticate"]).toBe(
      `Bearer realm="tenon", resource_metadata="${at.server.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    const poor = await greet(await provider.sign(claims({ scope: "openid" })));
    expect(poor.status).toBe(403);
    expect(poor.headers["www-authenticate"]).toMatch(
      /error="insufficient_scope".*scope="tenon:read tenon:call".*resource_metadata="/,
    );
    const wrong = await greet(await provider.sign(claims({ aud: "other" })), "/mcp/review");
    expect(wrong.headers["www-authenticate"]).toMatch(
      /error="invalid_token".*oauth-protected-resource\/mcp\/review"/,
    );
    // Elsewhere OAuth opens nothing, so nothing leads there.
    const api = await at.ask("/api/tools", { bare: true });
    expect(api.headers["www-authenticate"]).toBe('Bearer realm="tenon"');
  });
});

describe("a token that is not right", () => {
  it("opens nothing, whatever is wrong with it", async () => {
    const other = await generateKeyPair("RS256");
    const now = Math.floor(time / 1000);
    const good = await provider.sign(claims());
    const [header = "", payload = "", signature = ""] = good.split(".");
    const { keys } = (await (await fetch(`${provider.issuer}/jwks`)).json()) as {
      keys: [{ kid: string; kty: string }];
    };
    const pem = createPublicKey({ key: keys[0], format: "jwk" }).export({ type: "spki", format: "pem" });
    const hs = `${base64({ alg: "HS256", kid: keys[0].kid })}.${payload}`;
    const hostile = createServer((_, response) => response.end("{}"));
    let fetched = 0;
    hostile.on("request", () => fetched++);
    await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
    const evil = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/keys`;
    const jwk = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" });
    const bad: Record<string, string> = {
      expired: await provider.sign(claims({ exp: now - 60 })),
      "not yet valid": await provider.sign(claims({ nbf: now + 120 })),
      "without an end": await provider.sign({ ...claims(), exp: undefined } as unknown as JWTPayload),
      "wrong audience": await provider.sign(claims({ aud: "https://other.example.org/mcp" })),
      "no audience": await provider.sign({ ...claims(), aud: undefined } as unknown as JWTPayload),
      "wrong issuer": await provider.sign(claims({ iss: "https://other.example.org" })),
      "issuer with a slash": await provider.sign(claims({ iss: `${provider.issuer}/` })),
      "no subject": await provider.sign({ ...claims(), sub: undefined } as unknown as JWTPayload),
      "empty subject": await provider.sign(claims({ sub: "" })),
      "bound to a key": await provider.sign(claims({ cnf: { jkt: "x" } })),
      "alg none": `${base64({ alg: "none" })}.${payload}.`,
      "alg None": `${base64({ alg: "None" })}.${payload}.${signature}`,
      "HS256 with the public key": `${hs}.${createHmac("sha256", pem).update(hs).digest("base64url")}`,
      "key of somebody else": await provider.sign(claims(), {}, other.privateKey),
      "kid as a path": await provider.sign(claims(), { kid: "../../etc/passwd" }, other.privateKey),
      "kid as SQL": await provider.sign(claims(), { kid: "' OR 1=1 --" }, other.privateKey),
      "keys from an address in the token": await provider.sign(
        claims(),
        { jku: evil, x5u: evil },
        other.privateKey,
      ),
      "key in the token": await provider.sign(claims(), { jwk, kid: undefined }, other.privateKey),
      "unknown critical part": `${base64({ alg: "RS256", crit: ["x"], x: 1 })}.${payload}.${signature}`,
      "changed payload": `${header}.${base64(claims({ sub: "admin" }))}.${signature}`,
      "no JSON": "e30.e30.e30",
      "empty parts": "a.b.",
    };
    for (const [index, [name, token]] of Object.entries(bad).entries()) {
      if (index === 15) time += 61_000; // else they are too many for one minute
      const { status, body } = await greet(token);
      expect([name, status, body.error.code]).toEqual([name, 401, expect.stringMatching(/^TOKEN_/)]);
      expect([name, /expired/.test(body.error.message)]).toEqual([name, name === "expired"]);
    }
    expect(fetched).toBe(0);
    hostile.close();
    expect(await at.tenon.access.principals()).not.toContainEqual(
      expect.objectContaining({ name: "mallory" }),
    );
    // Nobody is locked out by what was tried in their name.
    expect((await greet(good)).status).toBe(200);
  });

  it("of another server opens nothing, whichever address the request claims to be sent to", async () => {
    const { port } = at.server;
    for (const [host, status] of [
      [`localhost:${port}`, 200],
      [`localhost:${port + 1}`, 401],
      ["localhost", 401],
      [`127.0.0.1:${port + 1}`, 401],
    ] as const) {
      const token = await provider.sign(claims({ aud: `http://${host}/mcp` }));
      expect([host, (await greet(token, "/mcp", { host })).status]).toEqual([host, status]);
    }
  });

  it("is refused when it is huge", async () => {
    const huge = await provider.sign(claims({ filler: "x".repeat(1_000_000) }));
    const status = await greet(huge).then(
      (reply) => reply.status,
      (fault: NodeJS.ErrnoException) => fault.code,
    );
    expect([431, "ECONNRESET", "EPIPE"]).toContain(status);
    expect(
      (await greet(await provider.sign(claims({ sub: "large", filler: "x".repeat(11_000) })))).status,
    ).toBe(200);
  });

  it("is slowed by the name that it claims, from many addresses", async () => {
    time += 3_600_000;
    const expired = await provider.sign(claims({ sub: "victim", exp: 1 }));
    const guess = (token: string, localAddress: string): Promise<Reply> =>
      at.ask("/mcp", {
        method: "POST",
        body: greeting,
        localAddress,
        headers: { authorization: `Bearer ${token}` },
      });
    const statuses: number[] = [];
    for (let each = 0; each < 25; each++) statuses.push((await guess(expired, `127.0.1.${each + 1}`)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)]);
    // No address has guessed often, so others are only told that their token is wrong.
    const another = await provider.sign(claims({ sub: "somebody", exp: 1 }));
    expect((await guess(another, "127.0.1.1")).status).toBe(401);
    // The victim gets in.
    expect((await greet(await provider.sign(claims({ sub: "victim" })))).status).toBe(200);
  });
});

describe("a token that is right", () => {
  it("may be for an audience of the configuration, within the clocks' difference", async () => {
    const now = Math.floor(time / 1000);
    const token = await provider.sign(claims({ aud: ["x", "tenon-team"], exp: now - 10, nbf: now + 10 }));
    expect((await greet(token)).status).toBe(200);
    expect((await greet(token, "/mcp/review")).status).toBe(200);
  });

  it("is not asked about at the provider again, and ends with its time", async () => {
    const token = await provider.sign(claims({ sub: "timed" }));
    await greet(token);
    const before = provider.keyRequests();
    for (let each = 0; each < 5; each++) expect((await greet(token)).status).toBe(200);
    expect(provider.keyRequests()).toBe(before);
    time += 400_000;
    expect((await greet(token)).status).toBe(401);
  });

  it("opens nothing once its user is disabled, and cuts what is open", async () => {
    const token = await provider.sign(claims({ sub: "leaver" }));
    const { headers } = await greet(token);
    const listening = await fetch(`${at.server.url}/mcp`, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: "text/event-stream",
        "mcp-session-id": String(headers["mcp-session-id"]),
      },
    });
    expect(listening.status).toBe(200);
    const cut = listening.text().then(
      () => "ended",
      () => "cut",
    );
    await at.tenon.access.changePrincipal("leaver", { disabled: true });
    const { status, body } = await greet(token);
    expect([status, body.error.code]).toEqual([403, "USER_REFUSED"]);
    // It ends with its session, or is cut with its connection: either way nothing more is sent.
    expect(["ended", "cut"]).toContain(await cut);
  });

  it("never means more than the role that an admin gave", async () => {
    const token = await provider.sign(claims({ sub: "limited" }));
    await greet(token);
    await at.tenon.access.changePrincipal("limited", { role: "viewer" });
    const opened = await greet(token);
    const call = await at.ask("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json, text/event-stream",
        "mcp-session-id": String(opened.headers["mcp-session-id"]),
      },
      body: {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "write_file", arguments: { path: "x.txt", content: "x" } },
      },
    });
    expect(call.text).toMatch(/"isError":true/);
    expect(call.text).toMatch(/viewer/);
  });

  it("is accepted after the provider's keys were rotated, and one of the old key is not", async () => {
    const old = await provider.sign(claims({ sub: "rotated-1" }));
    await provider.rotate();
    const fresh = await provider.sign(claims({ sub: "rotated-2" }));
    // The keys are not fetched for every unknown name of a key, so a provider is not asked for all of them.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    try {
      expect((await greet(fresh)).status).toBe(200);
      expect((await greet(old)).status).toBeGreaterThan(400);
    } finally {
      vi.useRealTimers();
    }
  });
});

it("answers 503, not 401, while the provider cannot be reached, and does not keep asking", async () => {
  const gone = await openProvider();
  const token = await gone.sign({ iss: gone.issuer, sub: "x", aud: "a", exp: 9_999_999_999 });
  const down = await openTestServer({
    tenonOptions: {
      config: { auth: { oauth: { issuer: gone.issuer, audience: "a", defaultRole: "viewer" } } },
    },
  });
  await gone.close();
  try {
    for (let each = 0; each < 2; each++) {
      const { status, body, headers } = await down.ask("/mcp", {
        method: "POST",
        body: greeting,
        headers: { authorization: `Bearer ${token}` },
      });
      expect([status, body.error.code, headers["retry-after"]]).toEqual([503, "PROVIDER_UNAVAILABLE", "5"]);
    }
  } finally {
    await down.close();
  }
});
