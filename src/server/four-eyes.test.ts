import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readFeed } from "./testing/read-feed.js";
import { openTestServer, type Reply, type TestServer } from "./testing/open-server.js";

let at: TestServer;
const secrets = new Map<string, string>();

beforeAll(async () => {
  at = await openTestServer({
    tenonOptions: {
      config: { policy: { rules: [{ decision: "ask", approvals: 2, tool: "write_file" }] } },
    },
  });
  for (const name of ["olga", "anna", "ben"]) {
    const role = name === "olga" ? "operator" : "approver";
    await at.tenon.access.addPrincipal({ name, kind: "person", role });
    const created = await at.tenon.access.createToken({ name, principal: name, role });
    secrets.set(name, created.secret);
  }
});
afterAll(() => at.close());

const askAs = (name: string, path: string, body?: unknown): Promise<Reply> =>
  at.ask(path, {
    ...(body !== undefined && { method: "POST", body }),
    ...(name !== "local" && { headers: { authorization: `Bearer ${secrets.get(name)}` } }),
  });

/** Start a call that needs two people, and wait until it asks. */
async function ask(who: string, path: string) {
  const calling = askAs(who, "/api/tools/write_file/call", { arguments: { path, content: "x" } });
  let id = "";
  const find = async () => {
    const { body } = await askAs("anna", "/api/approvals");
    id = body.find((one: { arguments: { path: string } }) => one.arguments.path === path)?.id ?? "";
    return id;
  };
  await expect.poll(find, { timeout: 10_000 }).not.toBe("");
  const answer = (name: string, given: object) => askAs(name, `/api/approvals/${id}`, given);
  const waiting = async () =>
    (await askAs("anna", "/api/approvals")).body.find((one: { id: string }) => one.id === id);
  return { calling, answer, waiting };
}

const yes = { verdict: "once" };

describe("a call that two people must approve", () => {
  it("runs after two different people approved it, and the card and the log say who", async () => {
    const feed = await readFeed(at.server);
    const { calling, answer, waiting } = await ask("olga", "a.txt");
    expect(await waiting()).toMatchObject({ required: 2 });
    expect((await waiting()).alwaysRule).toBeUndefined();
    expect((await answer("anna", yes)).body).toEqual({ answered: true, missing: 1 });
    // The same person again does not count twice, whatever it says.
    expect((await answer("anna", { verdict: "always" })).body).toEqual({ answered: true, missing: 1 });
    expect((await waiting()).approvedBy).toMatchObject([{ principal: "anna", person: "anna" }]);
    await feed.until(({ items }) => JSON.stringify(items).includes('"approvedBy":[{"principal":"anna"'));
    feed.stop();
    expect((await answer("ben", { ...yes, updatedArguments: { path: "b" } })).status).toBe(400);
    expect((await answer("ben", yes)).body).toEqual({ answered: true });
    const { body } = await calling;
    expect(body).toSucceed();
    const record = await at.tenon.audit.get(body.callId);
    expect(record?.approval).toMatchObject({
      verdict: "once",
      person: "ben",
      approvedBy: [{ principal: "anna" }, { principal: "ben" }],
    });
  });

  it("never counts the one in whose name it is made, who can still refuse", async () => {
    const { calling, answer } = await ask("anna", "c.txt");
    expect((await answer("anna", yes)).body.error.code).toBe("OWN_REQUEST");
    expect((await answer("ben", yes)).body).toEqual({ answered: true, missing: 1 });
    expect((await answer("anna", yes)).body.error.code).toBe("OWN_REQUEST");
    expect((await answer("local", { verdict: "no", reason: "not today" })).body).toEqual({ answered: true });
    expect((await calling).body.error.message).toContain("not today");
  });

  it("counts the person whose server it is once, and not for calls of their own agents", async () => {
    const users = await ask("olga", "d.txt");
    expect((await users.answer("local", yes)).body).toEqual({ answered: true, missing: 1 });
    expect((await users.answer("local", yes)).body).toEqual({ answered: true, missing: 1 });
    expect((await users.answer("anna", yes)).body).toEqual({ answered: true });
    expect((await users.calling).body).toSucceed();
    const own = await ask("local", "e.txt");
    expect((await own.answer("local", yes)).body.error.code).toBe("OWN_REQUEST");
    expect((await own.answer("anna", yes)).body).toEqual({ answered: true, missing: 1 });
    expect((await own.answer("ben", yes)).body).toEqual({ answered: true });
    expect((await own.calling).body).toSucceed();
  });

  it("runs once though many approve in the same moment", async () => {
    const { calling, answer } = await ask("olga", "f.txt");
    const replies = await Promise.all(["anna", "ben", "anna", "ben", "local"].map((who) => answer(who, yes)));
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2);
    const { body } = await calling;
    expect(body).toSucceed();
    const { approval } = (await at.tenon.audit.get(body.callId)) ?? {};
    const names = approval?.approvedBy?.map(({ principal }) => principal) ?? [];
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(2);
  });
});
