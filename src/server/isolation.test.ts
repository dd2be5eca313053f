import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type Sent, type TestServer } from "./testing/open-server.js";

/** Somebody who works here, and everything that ever reached them. */
interface Person {
  readonly name: string;
  readonly secret: string;
  readonly client: Client;
  /** Texts of all answers, and of the feed. */
  readonly heard: string[];
  /** Ids of what is theirs, which the other one tries everywhere. */
  readonly ids: Record<Kind, Set<string>>;
}

const kinds = ["call", "approval", "session", "job", "handle", "memory", "request"] as const;
type Kind = (typeof kinds)[number];

const secretServer = resolve(import.meta.dirname, "../../test/fixtures/secret-server.mjs");
const stateDir = mkdtempSync(join(tmpdir(), "tenon-isolation-"));
const stopFeeds = new AbortController();
let at: TestServer;
let people: readonly [Person, Person];

beforeAll(async () => {
  at = await openTestServer({
    tenonOptions: {
      env: { PATH: process.env["PATH"], TENON_SECRETS_KEY: randomBytes(32).toString("base64") },
      config: {
        stateDir,
        mode: "auto",
        tools: { native: ["anthropic"], output: { maxTokens: 500 } },
        policy: {
          rules: [
            { decision: "ask", tool: "write_file", path: "asked/**", access: "write" },
            { decision: "allow", tool: "vault:*" },
          ],
        },
        mcpServers: {
          vault: { command: process.execPath, args: [secretServer], env: { API_KEY: "${secret:API_KEY}" } },
        },
        sandbox: { layers: { enabled: true } },
      },
    },
  });
  people = [await arrive("zebra-one"), await arrive("yucca-two")];
});
afterAll(async () => {
  stopFeeds.abort();
  for (const { client } of people) await client.close();
  await at.close();
  rmSync(stateDir, { recursive: true, force: true });
});

async function arrive(name: string): Promise<Person> {
  await at.tenon.access.addPrincipal({ name, kind: "person", role: "operator" });
  const { secret } = await at.tenon.access.createToken({ name, principal: name, role: "operator" });
  const headers = { authorization: `Bearer ${secret}` };
  const client = new Client({ name: "host", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", at.server.url), { requestInit: { headers } }),
  );
  const heard: string[] = [];
  const feed = await fetch(new URL("/api/feed", at.server.url), { headers, signal: stopFeeds.signal });
  const follow = async (): Promise<void> => {
    for await (const chunk of feed.body ?? []) heard.push(new TextDecoder().decode(chunk));
  };
  follow().catch(() => undefined); // it ends with the test
  const ids = Object.fromEntries(kinds.map((kind) => [kind, new Set<string>()])) as Person["ids"];
  return { name, secret, client, heard, ids };
}

async function ask(person: Person, path: string, sent: Sent = {}) {
  const headers = { authorization: `Bearer ${person.secret}`, ...sent.headers };
  const reply = await at.ask(path, { ...sent, headers });
  person.heard.push(reply.text);
  return reply;
}

const callApi = (person: Person, name: string, args: object, more: object = {}) =>
  ask(person, `/api/tools/${name}/call`, { method: "POST", body: { arguments: args, ...more } });

async function callMcp(person: Person, name: string, args: Record<string, unknown>) {
  const result = await person.client.callTool({ name, arguments: args });
  person.heard.push(JSON.stringify(result));
  return result;
}

/** The last secret of each, by name. */
const stored = new Map<string, string>();

/** What one of them does; everything in it bears their name. */
const doings: Record<string, (me: Person, mark: string) => Promise<unknown>> = {
  remembers: async (me, mark) => {
    const { body } = await callApi(me, "save_issue", { title: mark, content: mark });
    me.ids.memory.add(body.result.id);
    me.ids.call.add(body.callId);
  },
  "remembers over MCP": async (me, mark) => {
    const saved = await callMcp(me, "save_insight", { title: mark, content: mark });
    me.ids.memory.add((saved.structuredContent as { id: string }).id);
  },
  "keeps a note": (me, mark) =>
    callMcp(me, "memory", { command: "create", path: "/memories/note.md", file_text: mark }),
  "sets a variable": (me, mark) => callMcp(me, "set_env", { key: "NOTE", value: mark }),
  "prints much": async (me, mark) => {
    const command = `i=0; while [ $i -lt 300 ]; do echo ${mark} $i; i=$((i+1)); done`;
    const printed = await callMcp(me, "shell_exec", { command });
    for (const [handle] of JSON.stringify(printed).matchAll(/out_\w+/g)) me.ids.handle.add(handle);
  },
  "starts a job": async (me, mark) => {
    const { body } = await callApi(me, "shell_exec", { command: `echo ${mark}; sleep 60`, background: true });
    for (const [, id = ""] of JSON.stringify(body.result).matchAll(/"(?:jobId|id)":"([^"]+)"/g))
      me.ids.job.add(id);
  },
  "changes a file": async (me, mark) => {
    const { body } = await callApi(me, "write_file", { path: `own/${mark}.txt`, content: mark });
    me.ids.call.add(body.callId);
  },
  "tries a command": async (me, mark) => {
    const { body } = await callApi(me, "shell_exec", { command: `echo x >own-${mark}`, dry_run: true });
    me.ids.call.add(body.callId);
  },
  "asks for consent": async (me, mark) => {
    const id = `request-${me.ids.request.size}`;
    const calling = callApi(me, "write_file", { path: `asked/${mark}`, content: mark }, { id, taskId: mark });
    let waiting: { id: string; sessionId: string }[] = [];
    const look = async () => ({ body: waiting } = await ask(me, "/api/approvals")).body.length;
    await expect.poll(look, { timeout: 20_000 }).toBe(1);
    for (const { id: approval, sessionId } of waiting) {
      me.ids.approval.add(approval);
      me.ids.session.add(sessionId);
    }
    me.ids.request.add(id);
    await snoop(me === people[0] ? people[1] : people[0], me);
    await ask(me, `/api/approvals/${waiting[0]?.id}`, {
      method: "POST",
      body: { verdict: "no", reason: mark },
    });
    me.ids.call.add((await calling).body.callId);
  },
  "stores a secret": async (me, mark) => {
    const value = `secret of ${mark}`;
    await ask(me, "/api/secrets/API_KEY", { method: "PUT", body: { value } });
    stored.set(me.name, value);
    await callMcp(me, "vault__leak", {});
  },
  "uses its secret": async (me) => {
    const { content } = await callMcp(me, "vault__digest", {});
    const value = stored.get(me.name);
    if (value !== undefined)
      expect(JSON.stringify(content)).toContain(createHash("sha256").update(value).digest("hex"));
  },
  "repeats a call": (me, mark) =>
    ask(me, "/api/tools/json_parse/call", {
      method: "POST",
      headers: { "idempotency-key": "the same for both" },
      body: { arguments: { text: JSON.stringify(mark) } },
    }),
};

/** All addresses and tools that could tell something of the other one. */
async function snoop(me: Person, other: Person): Promise<void> {
  const paths = [
    "/api/calls",
    "/api/log?limit=1000",
    `/api/log?text=${other.name}`,
    "/api/changes?limit=1000",
    "/api/approvals",
    "/api/questions",
    "/api/jobs",
    "/api/connections",
    "/api/layers",
    "/api/quarantine",
    "/api/memories?limit=100",
    `/api/memories?query=${other.name}`,
    "/api/policy",
    "/api/plan",
    ...[...other.ids.call, ...other.ids.request].flatMap((id) => [`/api/calls/${id}`, `/api/log/${id}`]),
    ...[...other.ids.session].flatMap((session) =>
      [...other.ids.job].map((job) => `/api/jobs/${encodeURIComponent(session)}/${job}/output`),
    ),
  ];
  for (const path of [...paths, "/api/secrets", "/api/tokens", "/api/hosts"]) await ask(me, path);
  const foreign = { value: "stolen from the other one", user: other.name };
  expect((await ask(me, "/api/secrets/API_KEY", { method: "PUT", body: foreign })).status).toBe(403);
  await ask(me, `/api/secrets/API_KEY?user=${other.name}`, { method: "DELETE" });
  for (const id of other.ids.approval)
    await ask(me, `/api/approvals/${id}`, { method: "POST", body: { verdict: "no" } });
  for (const id of other.ids.call) await ask(me, `/api/calls/${id}/cancel`, { method: "POST", body: {} });
  for (const id of other.ids.memory) {
    await callMcp(me, "resolve_issue", { id, resolution: "mine now" });
    await callMcp(me, "promote_to_decision", { id });
    await me.client.readResource({ uri: `tenon://memory/${id}` }).catch((error: Error) => {
      me.heard.push(error.message);
    });
  }
  for (const handle of other.ids.handle) await callMcp(me, "read_result", { handle });
  for (const id of other.ids.job) await callApi(me, "shell_output", { job_id: id });
  for (const call_id of other.ids.call) {
    await callApi(me, "undo_edit", { call_id });
    await callApi(me, "discard_result", { call_id });
  }
  await callMcp(me, "query_memory", { query: other.name, limit: 100 });
  await callMcp(me, "query_memory", { limit: 100 });
  await callMcp(me, "memory", { command: "view", path: "/memories/note.md" });
  await callMcp(me, "get_env", { key: "NOTE" });
  await callMcp(me, "edit_history", { limit: 1000 });
  await callMcp(me, "shell_jobs", {});
  me.heard.push(JSON.stringify(await me.client.listResources()));
}

/** Let both look for what the other one has, and check everything that reached them. */
async function checkApart(): Promise<void> {
  for (const [me, other] of [people, people.toReversed()] as [Person, Person][]) {
    await snoop(me, other);
    const marks = [`${other.name}-`, `~${other.name}`];
    expect(me.heard.filter((text) => marks.some((mark) => text.includes(mark)))).toEqual([]);
    expect(me.heard.join("")).toContain(`${me.name}-`);
    me.heard.length = 0;
  }
}

test("nothing of one principal ever reaches another", { timeout: 120_000 }, async () => {
  let count = 0;
  const act = (me: Person, what: string) => doings[what]?.(me, `${me.name}-${++count}`);
  for (const me of people) for (const what of Object.keys(doings)) await act(me, what);
  for (const { ids } of people)
    for (const kind of kinds) expect([kind, ids[kind].size]).not.toEqual([kind, 0]);
  await checkApart();
  const step = fc.record({ who: fc.constantFrom(0, 1), what: fc.constantFrom(...Object.keys(doings)) });
  const steps = fc.array(step, { minLength: 3, maxLength: 6 });
  const property = fc.asyncProperty(steps, async (some) => {
    for (const { who, what } of some) await act(people[who as 0], what);
    for (const me of people) await act(me, "changes a file");
    await checkApart();
  });
  await fc.assert(property, { numRuns: 2 });
  // What was tried on the other's things did nothing to them.
  for (const me of people) expect((await ask(me, "/api/memories?limit=100")).text).not.toContain("mine now");
});
