import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { includesRole, roles, type Role } from "../contract/ports/access.js";
import { roleFor, routeRoles } from "./route-roles.js";
import { openTestServer, type Reply, type Sent, type TestServer } from "./testing/open-server.js";

let at: TestServer;
const secrets = new Map<string, string>();

const patient = defineTool({
  name: "patient",
  description: "Says something and waits to be stopped.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({}),
  async *execute(_, { signal }) {
    yield "still here";
    await new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
    );
  },
});

beforeAll(async () => {
  at = await openTestServer({ tenonOptions: { tools: [patient] } });
  for (const role of roles) await addUser(role, role);
  await addUser("other-operator", "operator");
});
afterAll(() => at.close());

async function addUser(name: string, role: Role): Promise<string> {
  const { access } = at.tenon;
  await access.addPrincipal({ name, kind: "person", role });
  const { secret } = await access.createToken({ name, principal: name, role });
  secrets.set(name, secret);
  return secret;
}

const askAs = (name: string, path: string, sent: Sent = {}): Promise<Reply> =>
  at.ask(path, {
    ...sent,
    headers: { authorization: `Bearer ${secrets.get(name) ?? name}`, ...sent.headers },
  });

const callAs = (name: string, tool: string, args: unknown, more: Sent = {}): Promise<Reply> =>
  askAs(name, `/api/tools/${tool}/call`, { method: "POST", body: { arguments: args }, ...more });

/** Every address of the API, read from the code that adds it. */
function allRoutes(): { method: string; path: string }[] {
  const folder = join(import.meta.dirname, "routes");
  const found = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/api\.(get|post|put|delete)\(\s*"([^"]+)"/g)].map(
      ([, method = "", path = ""]) => ({ method: method.toUpperCase(), path: `/api${path}` }),
    ),
  );
  return [
    ...found,
    { method: "GET", path: "/health" },
    { method: "GET", path: "/metrics" },
    { method: "GET", path: "/api/feed" },
    ...["/mcp", "/mcp/:endpoint"].flatMap((path) =>
      ["GET", "POST", "DELETE"].map((method) => ({ method, path })),
    ),
  ];
}

describe("roles", () => {
  it("are given for addresses that exist, each once", () => {
    const known = new Set(allRoutes().map(({ method, path }) => `${method} ${path}`));
    expect(known.size).toBeGreaterThan(30);
    const listed = routeRoles.map(([method, path]) => `${method} ${path}`);
    expect(listed.filter((route) => !known.has(route))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it.each(roles)("open exactly what the table says to: %s", async (role) => {
    for (const { method, path } of allRoutes()) {
      const needed = roleFor(method, path);
      const leaving = new AbortController();
      const asked = path.replace(/:\w+/g, "no-such-thing");
      const body = method === "POST" ? "{}" : undefined;
      // The feed never ends by itself.
      if (path === "/api/feed") setTimeout(() => leaving.abort(), 200);
      const reply = await askAs(role, asked, {
        method,
        signal: leaving.signal,
        ...(body !== undefined && { body }),
      }).catch((error: Error) => ({ status: 200, body: error.message }) as unknown as Reply);
      const refused = reply.status === 403 && reply.body?.error?.code === "ROLE_NEEDED";
      expect(`${method} ${path}: ${refused ? "refused" : "open"}`).toBe(
        `${method} ${path}: ${includesRole(role, needed) ? "open" : "refused"}`,
      );
    }
  });

  it("keep what nobody has listed for admins", () => {
    for (const path of ["/api/users", "/api", "/api/tools/a/b", "/", "/mcp/a/b", "/api/calls/a/b"])
      expect(roleFor("GET", path)).toBe("admin");
    expect(roleFor("HEAD", "/health")).toBe("viewer");
    expect(roleFor("TRACE", "/health")).toBe("admin");
  });

  it("are explained in the guide, all of them", () => {
    const guide = readFileSync(resolve(import.meta.dirname, "../../docs/guide/team.md"), "utf8");
    for (const [method, path, role] of routeRoles)
      expect(guide).toMatch(new RegExp(`\\| \`${method} ${path}\` +\\| ${role} +\\|`));
  });
});

describe("a user", () => {
  it("makes calls in its own name, which the log has", async () => {
    const { body } = await callAs("operator", "current_time", {});
    expect(body).toSucceed();
    const records = await at.tenon.audit.search({ limit: 5 });
    expect(records.find(({ callId }) => callId === body.callId)).toMatchObject({
      principal: "operator",
      userId: "operator",
      agent: "person",
    });
  });

  it("that only views cannot change anything", async () => {
    const read = await callAs("viewer", "list_files", { path: "." });
    expect(read.body).toSucceed();
    const write = await callAs("viewer", "write_file", { path: "a.txt", content: "x" });
    expect(write.body).toFailWith("ACCESS_DENIED");
    expect(readdirSync(at.workspace)).not.toContain("a.txt");
  });

  it("sees no calls of others, whether they run or not", async () => {
    const { body } = await callAs("operator", "current_time", {});
    expect((await askAs("operator", `/api/calls/${body.callId}`)).body.envelope).toSucceed();
    expect((await askAs("other-operator", `/api/calls/${body.callId}`)).status).toBe(404);
    expect((await askAs("viewer", `/api/calls/${body.callId}`)).status).toBe(404);
    expect((await askAs("approver", `/api/calls/${body.callId}`)).status).toBe(200);

    const leaving = new AbortController();
    const running = callAs("operator", "patient", {}, { signal: leaving.signal }).catch(() => undefined);
    const isRunning = () =>
      at.ask("/api/calls").then(({ body: calls }) =>
        calls.find((one: { toolName: string; state: string }) => {
          return one.toolName === "patient" && one.state === "running";
        }),
      );
    let call = await isRunning();
    while (call === undefined) call = await isRunning();
    expect((await askAs("operator", `/api/calls/${call.callId}`)).body.state).toBe("running");
    expect((await askAs("other-operator", `/api/calls/${call.callId}`)).status).toBe(404);
    leaving.abort();
    await running;
  });

  it("cannot approve its own calls, though another approver can", async () => {
    await addUser("second", "approver");
    const calling = callAs("approver", "write_file", { path: "b.txt", content: "x" });
    let id: string | undefined;
    while (id === undefined) id = (await askAs("approver", "/api/approvals")).body[0]?.id;
    const answer = (name: string) =>
      askAs(name, `/api/approvals/${id}`, { method: "POST", body: { verdict: "once" } });
    expect(await answer("approver")).toMatchObject({
      status: 403,
      body: { error: { code: "OWN_REQUEST" } },
    });
    expect((await answer("operator")).body.error.code).toBe("ROLE_NEEDED");
    expect((await answer("second")).body).toEqual({ answered: true });
    const { body } = await calling;
    expect(body).toSucceed();
    const record = (await at.tenon.audit.search({ limit: 10 })).find(({ callId }) => callId === body.callId);
    expect(JSON.stringify(record)).toContain('"person":"second"');
  });
});

describe("a token", () => {
  it("opens nothing after it was revoked, and takes open answers with it", async () => {
    await addUser("leaving", "approver");
    const feed = new Promise<string>((resolve) => {
      askAs("leaving", "/api/feed").then(
        () => resolve("ended"),
        () => resolve("cut"),
      );
    });
    expect((await askAs("leaving", "/api/tools")).status).toBe(200);
    await at.tenon.access.revokeToken("leaving");
    expect((await askAs("leaving", "/api/tools")).status).toBe(401);
    expect(await feed).toMatch(/cut|ended/);
  });

  it("of a user with another role ends what the old role opened", async () => {
    await addUser("demoted", "approver");
    const feed = await fetch(new URL("/api/feed", at.server.url), {
      headers: { authorization: `Bearer ${secrets.get("demoted")}` },
    });
    await at.tenon.access.changePrincipal("demoted", { role: "operator" });
    expect((await askAs("demoted", "/api/metrics")).status).toBe(403);
    await expect(feed.text()).rejects.toThrow("terminated");
  });

  it.each([
    ["unknown", `tnn_${"a".repeat(43)}`],
    ["cut", "tnn_"],
    ["long", `tnn_${"a".repeat(8000)}`],
    ["not one of ours", "eyJhbGciOiJub25lIn0.e30."],
  ])("that is %s opens nothing", async (_, secret) => {
    for (const path of ["/api/tools", "/mcp", "/api/feed"]) {
      const reply = await askAs(secret, path);
      expect([401, 429]).toContain(reply.status);
      expect(reply.text).not.toContain(secret.slice(0, 40));
    }
  });

  it("for one endpoint opens nothing else", async () => {
    const { access } = at.tenon;
    const { secret } = await access.createToken({
      name: "narrow",
      principal: "admin",
      role: "admin",
      endpoint: "review",
    });
    for (const path of ["/api/tools", "/mcp", "/health", "/mcp/other", "/mcp/review/x"])
      expect((await askAs(secret, path)).body?.error?.code).toBe("TOKEN_FOR_ENDPOINT");
  });
});
