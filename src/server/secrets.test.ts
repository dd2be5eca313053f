import { createHash, randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestServer, type Reply, type Sent, type TestServer } from "./testing/open-server.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-secrets-"));
const keyFile = join(folder, "secrets.key");
const stateDir = join(folder, "state");
const fixture = resolve(import.meta.dirname, "../../test/fixtures/secret-server.mjs");
const tokens = new Map<string, string>();
let at: TestServer;

const config = {
  stateDir,
  mode: "auto" as const,
  policy: { rules: [{ decision: "allow" as const, tool: ["vault:*", "http_request"] }] },
  secrets: { keyFile },
  network: { allowPrivate: true },
  endpoints: { review: {} },
  mcpServers: {
    vault: { command: process.execPath, args: [fixture], env: { API_KEY: "${secret:API_KEY}" } },
  },
};

beforeAll(async () => {
  at = await openTestServer({ tenonOptions: { config } });
  for (const [name, role] of [
    ["alice", "operator"],
    ["bob", "operator"],
    ["carol", "operator"],
    ["root", "admin"],
  ] as const) {
    await at.tenon.access.addPrincipal({ name, kind: "person", role });
    tokens.set(name, (await at.tenon.access.createToken({ name, principal: name, role })).secret);
  }
});
afterAll(async () => {
  await at.close();
  rmSync(folder, { recursive: true, force: true });
});

const askAs = (name: string, path: string, sent: Sent = {}): Promise<Reply> =>
  at.ask(path, { ...sent, headers: { authorization: `Bearer ${tokens.get(name)}`, ...sent.headers } });

const store = (name: string, value: string, more: object = {}): Promise<Reply> =>
  askAs(name, "/api/secrets/API_KEY", { method: "PUT", body: { value, ...more } });

const call = (name: string, tool: string, args: object = {}): Promise<Reply> =>
  askAs(name, `/api/tools/${encodeURIComponent(tool)}/call`, { method: "POST", body: { arguments: args } });

const digestFor = async (name: string): Promise<string> => {
  const { body } = await call(name, "vault:digest");
  return body.success ? (String(body.result).split(" ")[1] ?? "") : body.error.code;
};

const digestOf = (value: string): string => createHash("sha256").update(value).digest("hex");

const [own, others, shared] = ["alice", "bob", "all"].map(
  (name) => `${name}-${randomBytes(16).toString("hex")}`,
) as [string, string, string];

/** Everything that the state and its log hold, as text. */
function everythingStored(): string {
  return readdirSync(stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

describe("secrets", () => {
  it("need a key, which is created once, in a file of the person's own", async () => {
    expect(await store("alice", own)).toMatchObject({
      status: 503,
      body: { error: { code: "SECRETS_KEY_MISSING" } },
    });
    const { file } = await at.tenon.secrets.createKey();
    expect(file).toBe(keyFile);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    await expect(at.tenon.secrets.createKey()).rejects.toThrow("already");
    chmodSync(keyFile, 0o644);
    expect((await store("alice", own)).text).toContain("chmod 600");
    chmodSync(keyFile, 0o600);
  });

  it("reach the servers of the one they belong to, and nobody else's", async () => {
    expect(await digestFor("alice")).toBe("SECRET_MISSING");
    expect((await store("alice", own)).status).toBe(200);
    expect(await digestFor("alice")).toBe(digestOf(own));
    expect(await digestFor("bob")).toBe("SECRET_MISSING");
    expect((await store("bob", others)).status).toBe(200);
    expect(await digestFor("bob")).toBe(digestOf(others));
    expect(await digestFor("alice")).toBe(digestOf(own));
    // Shared by all: those who have none of their own get it, and share one process.
    expect((await store("root", shared)).status).toBe(200);
    expect(await digestFor("root")).toBe(digestOf(shared));
    const [first, second] = [await call("root", "vault:digest"), await at.tenon.call("vault:digest", {})];
    expect(first.body.result).toBe(second.result);
    expect(await digestFor("alice")).toBe(digestOf(own));
  });

  it("change and go at once", async () => {
    const next = `${own}-next`;
    await store("alice", next);
    expect(await digestFor("alice")).toBe(digestOf(next));
    await askAs("alice", "/api/secrets/API_KEY", { method: "DELETE" });
    expect(await digestFor("alice")).toBe(digestOf(shared));
    await store("alice", own);
  });

  it("of an endpoint count there only", async () => {
    const there = `endpoint-${randomBytes(8).toString("hex")}`;
    expect((await store("root", there, { endpoint: "no-such" })).body.error.hint).toContain(
      "tenon endpoints list",
    );
    await store("root", there, { endpoint: "review" });
    const session = at.tenon.createSession({ principal: "carol", userId: "carol", endpoint: "review" });
    const answer = await session.call("vault:digest", {});
    expect(answer).toSucceed({ result: expect.stringContaining(digestOf(there)) as string });
    await session.close();
    expect(await digestFor("root")).toBe(digestOf(shared));
  });

  it("are never shown: not in lists, results, logs, nor on the disk", async () => {
    const { body, text } = await call("alice", "vault:leak");
    expect(body).toSucceed();
    expect(text).not.toContain(own);
    expect(text).not.toContain(Buffer.from(own).toString("base64"));
    const betrayed = await call("alice", "vault:betray");
    expect(betrayed.text).toContain("No [redacted]");
    const seen = await Promise.all([
      askAs("alice", "/api/secrets"),
      askAs("root", "/api/secrets"),
      at.ask("/api/log?limit=500"),
      at.ask("/api/mcp-servers"),
      at.ask("/metrics"),
      askAs("alice", "/api/tools"),
      Promise.resolve(betrayed),
    ]);
    for (const value of [own, others, shared])
      expect(seen.map((reply) => reply.text).join("\n") + everythingStored()).not.toContain(value);
    expect(seen[0].body).toMatchObject([{ name: "API_KEY", user: "alice" }]);
    expect(seen[1].body).toHaveLength(4);
  });

  it("are stored in the name of the user, by name", async () => {
    const acts = await at.tenon.audit.search({ tool: "secrets_set", limit: 50 });
    expect(acts.find(({ userId }) => userId === "alice")).toMatchObject({
      principal: "alice",
      arguments: { name: "API_KEY", user: "alice" },
    });
    // What Alice did is hers to see, and not Bob's.
    expect((await askAs("alice", "/api/log?tool=secrets_set")).text).toContain("alice");
    expect((await askAs("bob", "/api/log?tool=secrets_set")).text).not.toContain("alice");
  });

  it("of others can be neither stored nor removed without the role", async () => {
    expect(await store("bob", "x".repeat(20), { user: "alice" })).toMatchObject({ status: 403 });
    expect(await askAs("bob", "/api/secrets/API_KEY?user=alice", { method: "DELETE" })).toMatchObject({
      status: 403,
    });
    expect((await askAs("bob", "/api/secrets")).text).not.toContain("alice");
    expect(await digestFor("alice")).toBe(digestOf(own));
    for (const name of ["..%2f..", "a-b", "%00", "x".repeat(65)])
      expect(
        (await askAs("bob", `/api/secrets/${name}`, { method: "PUT", body: { value: "12345678" } })).status,
      ).toBe(404);
    expect((await store("alice", "short")).body.error.hint).toContain("hidden");
  });

  it("do not leave in requests of tools, plain or encoded", async () => {
    const heard: string[] = [];
    const outside = createServer((request, response) => {
      heard.push(request.url ?? "");
      response.end("ok");
    }).listen(0, "127.0.0.1");
    await new Promise((done) => outside.once("listening", done));
    const base = `http://127.0.0.1:${(outside.address() as { port: number }).port}`;
    const encoded = Buffer.from(own).toString("base64");
    const requests = [
      { url: `${base}/?q=${own}` },
      { url: `${base}/?q=${own.replace("-", "%2D")}` },
      { url: base, headers: { authorization: `Bearer ${own}` } },
      { url: base, method: "POST", body: `x ${encoded}` },
      { url: `http://user:${own}@${base.slice(7)}` },
    ];
    for (const request of requests) {
      const { error } = await at.tenon.call("http_request", request);
      expect(error?.code).toBe("SECRET_REFUSED");
      expect(JSON.stringify(error)).not.toContain(own);
    }
    expect(heard).toEqual([]);
    expect(await at.tenon.call("http_request", { url: base })).toSucceed();
    outside.close();
  });
});

describe("the key of secrets", () => {
  it("is replaced without losing anything, even if that is cut off", async () => {
    const before = readFileSync(keyFile, "utf8").trim();
    expect(await at.tenon.secrets.rotateKey()).toMatchObject({ changed: 4 });
    const after = readFileSync(keyFile, "utf8").trim();
    expect(after).not.toBe(before);
    expect(after).not.toContain("\n");
    expect(await digestFor("bob")).toBe(digestOf(others));
    // As if it had ended after the new key was written, before anything was encrypted with it.
    writeFileSync(keyFile, `${randomBytes(32).toString("base64url")}\n${after}\n`, { mode: 0o600 });
    await store("alice", own);
    expect(await digestFor("alice")).toBe(digestOf(own));
    expect(await at.tenon.secrets.rotateKey()).toMatchObject({ changed: 4 });
    expect(readFileSync(keyFile, "utf8").trim()).not.toContain("\n");
    expect(await digestFor("alice")).toBe(digestOf(own));
  });

  it("that is another one opens nothing, says so, and changes nothing", async () => {
    const right = readFileSync(keyFile, "utf8");
    writeFileSync(keyFile, `${randomBytes(32).toString("hex")}\n`);
    const denied = await at.tenon.createSession({ principal: "bob", userId: "bob" }).call("vault:digest", {});
    // Bob's server runs already; a new one cannot be given anything.
    expect(denied).toSucceed();
    await at.tenon.mcp.restart("vault").catch(() => undefined);
    expect(await digestFor("bob")).toBe("SERVER_UNAVAILABLE");
    await expect(at.tenon.secrets.rotateKey()).rejects.toMatchObject({ code: "SECRETS_KEY_WRONG" });
    writeFileSync(keyFile, "not a key\n");
    await expect(at.tenon.secrets.rotateKey()).rejects.toThrow("32 bytes");
    writeFileSync(keyFile, right);
    await at.tenon.mcp.restart("vault");
    expect(await digestFor("bob")).toBe(digestOf(others));
  });
});
