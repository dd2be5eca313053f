import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleHeader, pageHeader, pageSecretMeta } from "./api.js";
import { safeReturnTo } from "./identity/return-to.js";
import { openProvider, type CookieJar, type TestProvider } from "./testing/open-provider.js";
import { openTestServer, type Reply, type TestServer } from "./testing/open-server.js";

let provider: TestProvider;
let at: TestServer;
let time = Date.now();

beforeAll(async () => {
  provider = await openProvider();
  provider.groups.set("alice", ["leads"]);
  provider.groups.set("oscar", ["engineers"]);
  provider.groups.set("root", ["admins"]);
  at = await openTestServer({
    now: () => time,
    tenonOptions: {
      config: {
        auth: {
          oidc: {
            issuer: provider.issuer,
            clientId: "tenon",
            clientSecret: "a-secret-of-the-client",
            groups: { leads: "approver", engineers: "operator", admins: "admin" },
            idleMs: 3_600_000,
          },
        },
      },
    },
  });
  provider.clients.add({
    client_id: "tenon",
    client_secret: "a-secret-of-the-client",
    redirect_uris: [`${at.server.url}/login-return`],
    post_logout_redirect_uris: [`${at.server.url}/`],
  });
});
afterAll(async () => {
  await at.close();
  await provider.close();
});

/** A browser: it keeps cookies, and has the secret of the page that it got last. */
function createBrowser() {
  const jar: CookieJar = new Map();
  const atProvider: CookieJar = new Map();
  let secret = "";
  const open = async (path: string, more: Record<string, string> = {}, method = "GET"): Promise<Reply> => {
    const reply = await at.ask(path, {
      bare: true,
      method,
      ...(method !== "GET" && { body: {} }),
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(secret !== "" && { [pageHeader]: secret }),
        ...(method !== "GET" && { [consoleHeader]: "1", origin: at.server.url }),
        ...more,
      },
    });
    for (const line of reply.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    secret = new RegExp(`<meta name="${pageSecretMeta}" content="([^"]+)"`).exec(reply.text)?.[1] ?? secret;
    return reply;
  };
  /** Go to the provider; the address that it sends the browser back to. */
  const begin = async (person: string, query = ""): Promise<string> => {
    const { headers } = await open(`/login${query}`);
    const back = await provider.signIn(String(headers.location), person, atProvider);
    expect(back.origin).toBe(at.server.url);
    return back.pathname + back.search;
  };
  const signIn = async (person: string, query = ""): Promise<Reply> => open(await begin(person, query));
  return { open, begin, signIn, jar };
}

describe("signing in with the provider", () => {
  it("asks with PKCE, state and nonce, and gives the role of the person's groups", async () => {
    const browser = createBrowser();
    const { headers, status } = await browser.open("/login?returnTo=/%23/log");
    expect(status).toBe(302);
    const { searchParams } = new URL(String(headers.location));
    expect(searchParams.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"])
      expect(searchParams.get(name)?.length).toBeGreaterThan(40);
    expect(String(headers["set-cookie"])).toMatch(/Path=\/login-return; HttpOnly; SameSite=Lax; Max-Age=600/);
    const page = await browser.signIn("alice", "?returnTo=/%23/log");
    expect(page.status).toBe(200);
    expect(page.text).toContain('<meta name="tenon-return-to" content="/#/log" />');
    expect((await browser.open("/api/log")).status).toBe(200);
    const refused = await browser.open("/api/sessions");
    expect([refused.status, refused.body.error.code]).toEqual([403, "ROLE_NEEDED"]);
    expect(await at.tenon.access.principals()).toContainEqual(
      expect.objectContaining({ name: "alice", role: "approver", kind: "person" }),
    );
    const sessions = (await at.ask("/api/sessions")).body as { user?: string }[];
    expect(sessions).toContainEqual(expect.objectContaining({ user: "alice" }));
    expect(JSON.stringify(sessions)).not.toMatch(/idToken|eyJ/);
  });

  it("lets nobody in whom no group gives a role, or who is disabled", async () => {
    const stranger = await createBrowser().signIn("stranger");
    expect([stranger.status, stranger.body.error.code]).toEqual([403, "LOGIN_REFUSED"]);
    expect(JSON.stringify(await at.tenon.access.principals())).not.toContain("stranger");
    await createBrowser().signIn("oscar");
    await at.tenon.access.changePrincipal("oscar", { disabled: true });
    expect((await createBrowser().signIn("oscar")).status).toBe(403);
  });

  it("ends a login that was begun in another browser, changed, used already or took too long", async () => {
    const attacker = createBrowser();
    const stolen = await attacker.begin("root");
    const victim = createBrowser();
    await victim.begin("alice");
    // Somebody who is sent here with another one's login would work in that one's name.
    expect((await victim.open(stolen)).status).toBe(403);
    const first = await attacker.open(stolen);
    expect(first.status).toBe(200);
    expect((await attacker.open(stolen)).status).toBe(403);
    const changed = createBrowser();
    const back = await changed.begin("alice");
    expect((await changed.open(back.replace(/code=[^&]+/, "code=guessed"))).status).toBe(403);
    const denied = createBrowser();
    const state = new URL(await denied.begin("alice"), at.server.url).searchParams.get("state") ?? "";
    expect((await denied.open(`/login-return?error=access_denied&state=${state}`)).status).toBe(403);
    const slow = createBrowser();
    const late = await slow.begin("alice");
    time += 601_000;
    expect((await slow.open(late)).status).toBe(403);
    for (const each of [victim, changed, denied, slow])
      expect([...each.jar.keys()].filter((name) => /^tenon_\d+$/.test(name))).toEqual([]);
  });

  it("takes no part of the session that a browser had before, and ends it", async () => {
    const browser = createBrowser();
    await browser.signIn("alice");
    const name = [...browser.jar.keys()].find((key) => /^tenon_\d+$/.test(key)) ?? "";
    const before = browser.jar.get(name);
    await browser.signIn("alice");
    expect(browser.jar.get(name)).not.toBe(before);
    const old = createBrowser();
    old.jar.set(name, before ?? "");
    expect((await old.open("/api/about")).status).toBe(401);
    const planted = createBrowser();
    planted.jar.set(name, "planted-by-somebody-else");
    await planted.signIn("alice");
    expect(planted.jar.get(name)).not.toBe("planted-by-somebody-else");
  });

  it("lets two tabs of one browser sign in at once", async () => {
    const browser = createBrowser();
    const [one, two] = [await browser.begin("alice"), await browser.begin("alice")];
    expect([(await browser.open(one)).status, (await browser.open(two)).status]).toEqual([200, 200]);
    expect((await browser.open("/api/about")).status).toBe(200);
  });

  it("does not let one person push others out", async () => {
    const patient = createBrowser();
    await patient.signIn("alice");
    for (let each = 0; each < 9; each++) await createBrowser().signIn("root");
    expect((await patient.open("/api/about")).status).toBe(200);
    const sessions = (await at.ask("/api/sessions")).body as { user?: string }[];
    expect(sessions.filter(({ user }) => user === "root")).toHaveLength(8);
  });
});

describe("a person who has signed in", () => {
  it("loses at once what is taken from them, on open pages too", async () => {
    const browser = createBrowser();
    await browser.signIn("alice");
    const feed = browser.open("/api/feed").then(
      () => "ended",
      () => "cut",
    );
    await expect.poll(async () => (await at.ask("/api/about")).status).toBe(200);
    await at.tenon.access.changePrincipal("alice", { role: "viewer" });
    expect(await feed).toBe("cut");
    expect((await browser.open("/api/metrics")).status).toBe(403);
    expect((await browser.open("/api/about")).status).toBe(200);
    await at.tenon.access.changePrincipal("alice", { disabled: true });
    expect((await browser.open("/api/about")).status).toBe(401);
    await at.tenon.access.changePrincipal("alice", { disabled: false, role: "approver" });
    // The session is over, not only refused.
    expect((await browser.open("/api/about")).status).toBe(401);
  });

  it("is recorded by name in what they do", async () => {
    const browser = createBrowser();
    await browser.signIn("root");
    const call = await browser.open("/api/tools/current_time/call", {}, "POST");
    expect([call.status, call.body.success]).toEqual([200, true]);
    const log = await at.ask("/api/log?limit=50");
    expect(log.body.records).toContainEqual(
      expect.objectContaining({ tool: "current_time", userId: "root" }),
    );
    expect(JSON.stringify(log.body)).toMatch(/sign_in/);
    expect(JSON.stringify(log.body)).not.toMatch(/eyJ/);
  });

  it("is signed out after the time of the configuration", async () => {
    const browser = createBrowser();
    await browser.signIn("root");
    time += 3_500_000;
    expect((await browser.open("/api/about")).status).toBe(200);
    time += 3_700_000;
    expect((await browser.open("/api/about")).status).toBe(401);
  });

  it("signs out here and is shown the way to sign out at the provider", async () => {
    const browser = createBrowser();
    await browser.signIn("root");
    const out = await browser.open("/api/sign-out", {}, "POST");
    const next = new URL(out.body.next as string);
    expect(next.origin).toBe(provider.issuer);
    expect(next.searchParams.get("post_logout_redirect_uri")).toBe(`${at.server.url}/`);
    expect((await fetch(next)).status).toBe(200);
    expect((await browser.open("/api/about")).status).toBe(401);
  });
});

it("never leads to another site after a login", () => {
  for (const good of ["/", "/#/log", "/#/approvals/a%20b", "/?x=1#/live"])
    expect(safeReturnTo(good)).toBe(good);
  const bad = [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "\\\\evil",
    "javascript:alert(1)",
  ];
  const worse = ["/\t/evil.example", "/\n/evil", "", "evil", "/..//evil.example", "/api/sign-out", "/login"];
  const strange = ["/./\\evil", "/%0d%0aSet-Cookie:x", "/x".repeat(5000), "/\u2028/evil", "data:text/html,x"];
  for (const text of [...bad, ...worse, ...strange]) {
    const path = safeReturnTo(text);
    expect(new URL(path, "https://tenon.example.org").origin).toBe("https://tenon.example.org");
    expect(path).not.toMatch(/^\/\/|\\|^\/(?:api|login)/);
  }
});

it("has no way to sign in where no provider is configured", async () => {
  const plain = await openTestServer();
  try {
    for (const path of ["/login", "/login-return", "/login-methods", "/"])
      expect((await plain.ask(path, { bare: true })).status).toBe(401);
  } finally {
    await plain.close();
  }
});
