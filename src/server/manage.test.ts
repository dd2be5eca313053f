import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hideSecrets } from "./routes/system.js";
import { openTestServer, type TestServer } from "./testing/open-server.js";

let at: TestServer;

beforeAll(async () => {
  at = await openTestServer();
});
afterAll(() => at.close());

const put = (path: string, body: unknown) => at.ask(path, { method: "PUT", body });

describe("rules", () => {
  it("are added and edited, count at once, and need a condition", async () => {
    const { body } = await at.post("/api/policy/rules", { decision: "deny", tool: "current_time" });
    const explain = () => at.post("/api/policy/explain", { tool: "current_time", arguments: {} });
    expect((await explain()).body).toMatchObject({ decision: "deny", rule: body.id });
    const edited = await put(`/api/policy/rules/${body.id}`, { decision: "ask", tool: "current_time" });
    expect((await explain()).body).toMatchObject({ decision: "ask", rule: edited.body.id });
    expect((await put(`/api/policy/rules/${body.id}`, { decision: "allow", tool: "*" })).status).toBe(404);
    expect((await at.post("/api/policy/rules", { decision: "allow" })).status).toBe(400);
    await at.ask(`/api/policy/rules/${edited.body.id}`, { method: "DELETE" });
    expect((await explain()).body).toMatchObject({ decision: "allow" });
  });
});

describe("a rule that is tried on past calls", () => {
  it("tells which of them it would decide differently, and changes nothing", async () => {
    await at.tenon.call({ name: "base64_encode", arguments: { text: "a" }, taskId: "tried" });
    await at.tenon.call({ name: "base64_encode", arguments: { text: "a" }, taskId: "tried" });
    await at.tenon.call({ name: "base64_decode", arguments: { text: "YQ==" }, taskId: "tried" });
    const rules = (await at.ask("/api/policy")).body.rules.length as number;
    const { body } = await at.post("/api/policy/simulate", {
      rules: [{ decision: "deny", tool: "base64_encode" }],
      minutes: 60,
    });
    expect(body).toMatchObject({
      changed: 2,
      changes: [{ tool: "base64_encode", from: "allow", to: "deny", calls: 2 }],
    });
    expect(body.calls).toBeGreaterThanOrEqual(3);
    expect(body.allow + body.ask + body.deny).toBeLessThanOrEqual(body.calls);
    expect((await at.ask("/api/policy")).body.rules).toHaveLength(rules);
    expect(await at.tenon.call({ name: "base64_encode", arguments: { text: "b" } })).toMatchObject({
      success: true,
    });
    expect((await at.post("/api/policy/simulate", { rules: [{ decision: "deny" }] })).status).toBe(400);
  });
});

describe("memories", () => {
  it("are edited, found by their new words, promoted and forgotten", async () => {
    const { memories } = at.tenon.work;
    const { id } = await memories.save({ kind: "insight", title: "Old", content: "walrus", tags: [] });
    const edited = await put(`/api/memories/${id}`, { title: "New", content: "narwhal", tags: ["sea"] });
    expect(edited.body).toMatchObject({ id, title: "New", tags: ["sea"] });
    const find = async (query: string) =>
      (await at.ask(`/api/memories?query=${query}`)).body as { id: string }[];
    expect((await find("narwhal")).map((memory) => memory.id)).toEqual([id]);
    expect(await find("walrus")).toEqual([]);
    const promoted = await at.post(`/api/memories/${id}/promote`, { kind: "pattern", reason: "at sea" });
    expect(promoted.body).toMatchObject({ kind: "pattern", scope: "project" });
    expect((await at.ask(`/api/memories/${id}`, { method: "DELETE" })).body).toEqual({ forgotten: id });
    expect((await find("narwhal")).map((memory) => memory.id)).toEqual([promoted.body.id]);
    expect((await at.ask(`/api/memories/${id}`, { method: "DELETE" })).status).toBe(404);
  });
});

describe("plan and artifacts", () => {
  it("moves a task, and shows versions of a document with their difference", async () => {
    const { plan, artifacts } = at.tenon.work;
    await plan.createTask({ id: "T-1", title: "Write", description: "it" });
    const moved = await at.post("/api/plan/tasks/T-1/status", { status: "in_progress" });
    expect(moved.body).toMatchObject({ id: "T-1", status: "in_progress" });
    expect((await at.post("/api/plan/tasks/T-1/status", { status: "lost" })).status).toBe(400);
    await artifacts.save("idea", "one\n");
    await artifacts.save("idea", "two\n");
    const { body } = await at.ask("/api/artifacts/idea?version=1");
    expect(body).toMatchObject({ content: "one\n", all: { length: 2 } });
    const diff = await at.ask("/api/artifacts/idea/diff?from=1&to=2");
    expect(diff.body.diff).toMatch(/-one\n\+two/);
    expect((await at.ask("/api/artifacts/nothing")).status).toBe(404);
  });
});

describe("the configuration", () => {
  it("is shown without what may be a secret", async () => {
    const { body } = await at.ask("/api/configuration");
    expect(body.settings).toHaveProperty("mode");
    const shown = JSON.stringify(
      hideSecrets({
        mcpServers: { a: { command: "x", env: { PLAIN: "s1" }, headers: { Any: "s2" } } },
        clientSecret: "s3",
        list: [{ apiKey: "s4" }],
        run: () => "s5",
      }),
    );
    expect(shown).not.toMatch(/s\d/);
    expect(shown).toContain('"command":"x"');
  });

  it("cannot be changed where the server was started in code, and says so", async () => {
    const added = await at.post("/api/mcp-servers", { name: "x", server: { command: "true" } });
    expect(added.body.error.code).toBe("STARTED_IN_CODE");
    const removed = await at.ask("/api/mcp-servers/x", { method: "DELETE" });
    expect(removed.body.error.code).toBe("STARTED_IN_CODE");
    expect((await at.ask("/api/doctor")).status).toBe(409);
  });
});
