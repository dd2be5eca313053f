import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestServer, type TestServer } from "./testing/open-server.js";

let at: TestServer;
beforeAll(async () => {
  at = await openTestServer();
});
afterAll(() => at.close());

const x = (length: number): string => "x".repeat(length);
const rule = { decision: "deny", tool: "nothing" };
const none = "held_0123456789abcdef";

/** What each address takes: bodies or queries that are right to the last character, and such that are wrong. */
const shapes: [address: string, right: unknown[], wrong: unknown[]][] = [
  [
    "GET /api/users",
    [{}, { text: x(64), after: x(100), limit: 500 }, { limit: 1 }],
    [{ text: x(65) }, { after: x(101) }, { limit: 501 }, { limit: 0 }, { limit: 1.5 }, { other: 1 }],
  ],
  [
    "GET /api/tokens",
    [{}, { user: x(64), all: "true" }, { user: "x" }],
    [{ user: x(65) }, { user: "" }, { all: "false" }, { limit: 0 }, { other: 1 }],
  ],
  [
    "POST /api/users",
    [
      { name: "a", role: "viewer" },
      { name: "b", role: "admin", kind: "program" },
    ],
    [
      { name: "", role: "viewer" },
      { name: x(65), role: "viewer" },
      { name: "c", role: "king" },
      { name: "c" },
      { role: "viewer" },
      { name: "c", role: "viewer", kind: "dog" },
      { name: "c", role: "viewer", more: 1 },
    ],
  ],
  [
    "PUT /api/users/none",
    [{ role: "viewer" }, { disabled: true }, { role: "viewer", disabled: false }],
    [{}, { disabled: "no" }, { role: "king" }, { role: "viewer", more: 1 }],
  ],
  [
    "POST /api/tokens",
    [
      { name: "d", expiresAt: null },
      { name: "d", expiresAt: 1e14, role: "viewer" },
    ],
    [
      { name: "" },
      { name: x(65) },
      { name: "d", user: "" },
      { name: "d", expiresAt: 0 },
      { name: "d", expiresAt: -1 },
      { name: "d", expiresAt: 1.5 },
      { name: "d", role: "king" },
      { name: "d", endpoint: "" },
      { name: "d", more: 1 },
    ],
  ],
  [
    "PUT /api/secrets/NAME",
    [{ value: "x" }, { value: x(32_768) }],
    [
      {},
      { value: "" },
      { value: x(32_769) },
      { value: "x", user: "" },
      { value: "x", endpoint: x(65) },
      { value: "x", more: 1 },
    ],
  ],
  [
    "DELETE /api/secrets/NONE",
    [{}, { user: "a" }, { endpoint: "e" }],
    [{ user: "" }, { endpoint: x(65) }, { more: 1 }],
  ],
  [
    "POST /api/approvals/none",
    [
      { verdict: "once" },
      { verdict: "session", updatedArguments: {} },
      { verdict: "always" },
      { verdict: "no", reason: x(10_000) },
    ],
    [
      {},
      { verdict: "maybe" },
      { verdict: "no", reason: x(10_001) },
      { verdict: "once", reason: "r" },
      { verdict: "no", updatedArguments: {} },
    ],
  ],
  [
    "POST /api/approvals/refuse",
    [{ session: "s" }, { client: "c", tool: x(1000) }, { agent: "a", reason: x(10_000) }],
    [{ session: "" }, { tool: x(1001) }, { agent: "a", reason: x(10_001) }, { agent: "a", more: 1 }],
  ],
  ["GET /api/approvals", [{}, { session: "s" }, { tool: x(1000) }], [{ session: "" }, { client: x(1001) }]],
  [
    "POST /api/questions/none",
    [
      { declined: true },
      { text: "t", approved: true, feedback: "f" },
      { action: "approve" },
      { action: "edit", content: "c" },
      { action: "reject" },
      {},
    ],
    [{ declined: false }, { action: "burn" }, { text: 1 }, { feedback: x(100_001) }, { more: 1 }],
  ],
  [
    "GET /api/memories",
    [
      {},
      { scope: "all" },
      { scope: "smart" },
      { scope: "project" },
      { scope: "iteration" },
      { query: x(1000), limit: 100 },
      { limit: 1 },
    ],
    [{ scope: "none" }, { query: x(1001) }, { limit: 101 }, { limit: 0 }, { kind: "none" }, { more: 1 }],
  ],
  [
    "POST /api/plan/tasks/none/status",
    [{ status: "done" }, { status: "pending", note: x(4000) }],
    [{}, { status: "none" }, { status: "done", note: x(4001) }, { status: "done", more: 1 }],
  ],
  [
    "PUT /api/memories/none",
    [{}, { title: x(500), content: x(100_000), tags: Array(50).fill(x(100)) }],
    [
      { title: " " },
      { title: x(501) },
      { content: "" },
      { content: x(100_001) },
      { tags: Array(51).fill("t") },
      { tags: [""] },
      { tags: [x(101)] },
      { more: 1 },
    ],
  ],
  [
    "POST /api/memories/none/promote",
    [{ kind: "decision" }, { kind: "pattern", reason: x(4000) }],
    [{}, { kind: "idea" }, { kind: "pattern", reason: x(4001) }, { kind: "pattern", more: 1 }],
  ],
  [
    "POST /api/memories/none/resolve",
    [{ resolution: "r" }, { resolution: x(10_000) }],
    [{}, { resolution: " " }, { resolution: x(10_001) }, { resolution: "r", more: 1 }],
  ],
  [
    "GET /api/log",
    [
      {},
      {
        since: 1,
        until: 2.5,
        tool: x(1000),
        agent: "",
        taskId: "t",
        sessionId: "s",
        outcome: "denied",
        text: "t",
      },
      { outcome: "success" },
      { outcome: "failure" },
      { outcome: "interrupted" },
      { before: 1, limit: 1000 },
      { limit: 1 },
    ],
    [
      { since: "s" },
      { tool: x(1001) },
      { outcome: "good" },
      { before: 0 },
      { before: 1.5 },
      { limit: 0 },
      { limit: 1001 },
      { more: 1 },
    ],
  ],
  [
    "GET /api/log/tally",
    [{}, { buckets: 1 }, { buckets: 500, outcome: "denied" }],
    [{ buckets: 0 }, { buckets: 501 }, { buckets: 1.5 }, { more: 1 }],
  ],
  ["GET /api/log/export", [{}, { format: "jsonl" }, { format: "csv" }], [{ format: "xml" }, { more: 1 }]],
  [
    "GET /api/log/1/part",
    [{}, { of: "arguments", pointer: x(4096), from: 0, count: 1 }, { of: "result", count: 1_000_000 }],
    [],
  ],
  [
    "POST /api/log/verify",
    [{}, { head: x(200) }, { head: { seq: 1, hash: "h" } }],
    [{ head: x(201) }, { head: { seq: 1.5, hash: "h" } }, { head: { seq: 1 } }, { more: 1 }],
  ],
  [
    "POST /api/log/replay",
    [{ taskId: "t" }, { taskId: x(200) }],
    [{}, { taskId: "" }, { taskId: x(201) }, { taskId: "t", more: 1 }],
  ],
  [
    "GET /api/artifacts/prd",
    [{}, { iteration: x(200), version: 1 }],
    [{ iteration: "" }, { iteration: x(201) }, { version: 0 }, { version: 1.5 }, { more: 1 }],
  ],
  [
    "GET /api/artifacts/prd/diff",
    [{ from: 1, to: 2 }],
    [{}, { from: 1 }, { to: 1 }, { from: 0, to: 1 }, { from: 1, to: 2, more: 1 }],
  ],
  [
    "GET /api/calls",
    [{}, { limit: 1 }, { limit: 10_000 }],
    [{ limit: 0 }, { limit: 10_001 }, { limit: 1.5 }],
  ],
  [
    "GET /api/changes",
    [{}, { path: x(4096), text: x(4096), taskId: "t", callId: "c", limit: 1000 }, { limit: 1 }],
    [
      { path: "" },
      { path: x(4097) },
      { text: x(4097) },
      { taskId: "" },
      { limit: 0 },
      { limit: 1001 },
      { more: 1 },
    ],
  ],
  [
    "POST /api/undo/preview",
    [{ path: "a", force: true }, { callId: "c" }, { taskId: "t" }, { since: 1.5 }, { last: true }],
    [
      {},
      { path: "" },
      { path: "a", callId: "c" },
      { last: false },
      { since: "1" },
      { path: "a", force: 1 },
      { path: "a", more: 1 },
    ],
  ],
  [
    "POST /api/undo",
    [{ path: "a", force: true }, { callId: "c" }, { taskId: "t" }],
    [{}, { path: x(4097) }, { callId: "" }, { taskId: 1 }, { last: 1 }],
  ],
  [
    "GET /api/jobs/none/none/output",
    [{}, { since: 0 }, { since: Number.MAX_SAFE_INTEGER }],
    [{ since: -1 }, { since: 1.5 }, { more: 1 }],
  ],
  [
    "POST /api/jobs/none/none/input",
    [{ text: "" }, { text: x(65_536), end: true }],
    [{}, { text: x(65_537) }, { text: "t", end: 1 }, { text: "t", more: 1 }],
  ],
  ["GET /api/layers", [{}, { callId: x(200) }], [{ callId: "" }, { callId: x(201) }, { more: 1 }]],
  [
    "POST /api/layers/none/commit",
    [{}, { paths: ["a"] }, { paths: Array(1000).fill(x(99)) }],
    [{ paths: [] }, { paths: [""] }, { paths: Array(1001).fill("a") }, { paths: [x(4097)] }, { more: 1 }],
  ],
  ["POST /api/layers/none/discard", [{}, { paths: [x(4096)] }], [{ paths: [] }, { paths: "a" }, { more: 1 }]],
  [
    "POST /api/mcp-servers/none/resource",
    [{ uri: "u" }, { uri: x(4096) }],
    [{}, { uri: "" }, { uri: x(4097) }, { uri: "u", more: 1 }],
  ],
  [
    "POST /api/mcp-servers/none/prompt",
    [{ name: "n" }, { name: x(500), arguments: { a: x(100_000) } }],
    [
      {},
      { name: "" },
      { name: x(501) },
      { name: "n", arguments: { a: 1 } },
      { name: "n", arguments: { a: x(100_001) } },
      { name: "n", more: 1 },
    ],
  ],
  [
    "POST /api/mcp-servers",
    [{ name: x(64), server: {} }],
    [
      {},
      { name: "", server: {} },
      { name: x(65), server: {} },
      { name: "n", server: "s" },
      { name: "n", server: {}, more: 1 },
    ],
  ],
  [
    "GET /api/metrics",
    [{}, { minutes: 1 }, { minutes: 43_200 }],
    [{ minutes: 0 }, { minutes: 43_201 }, { minutes: 1.5 }],
  ],
  ["GET /api/metrics/series", [{}, { minutes: 60 }], [{ minutes: 0 }, { minutes: 43_201 }]],
  [
    "POST /api/policy/explain",
    [{ tool: "t" }, { tool: x(200), arguments: 1 }],
    [{}, { tool: "" }, { tool: x(201) }, { tool: "t", more: 1 }],
  ],
  [
    "POST /api/policy/simulate",
    [
      {},
      { rules: [rule], minutes: 1, limit: 1 },
      { rules: Array.from({ length: 100 }, () => rule), minutes: 525_600, limit: 20_000 },
    ],
    [
      { rules: Array.from({ length: 101 }, () => rule) },
      { rules: [{ decision: "deny" }] },
      { minutes: 0 },
      { minutes: 525_601 },
      { limit: 0 },
      { limit: 20_001 },
      { limit: 1.5 },
      { more: 1 },
    ],
  ],
  [
    "PUT /api/policy/rules/none",
    [
      ...["tool", "agent", "user", "client", "role", "endpoint", "session", "path", "command", "host"].map(
        (name) => ({ decision: "deny", [name]: x(1000) }),
      ),
      ...["allow", "ask", "deny"].map((decision) => ({ decision, tool: "t" })),
      { ...rule, access: "read", reason: x(1000) },
      { ...rule, access: "write" },
    ],
    [
      {},
      { decision: "deny" },
      { tool: "t" },
      { ...rule, decision: "maybe" },
      { ...rule, tool: " " },
      { ...rule, agent: x(1001) },
      { ...rule, access: "burn" },
      { ...rule, reason: " " },
      { ...rule, reason: x(1001) },
      { decision: "deny", access: "read" },
      { ...rule, more: 1 },
    ],
  ],
  ["GET /api/quarantine", [{}, { callId: x(200) }], [{ callId: "" }, { callId: x(201) }, { more: 1 }]],
  [
    "POST /api/quarantine/restore",
    [{ ids: [none] }, { ids: Array(1000).fill(none) }],
    [
      {},
      { ids: [] },
      { ids: Array(1001).fill(none) },
      { ids: ["held_1"] },
      { ids: [`${none}0`] },
      { ids: [`x${none}`] },
      { ids: [none], more: 1 },
    ],
  ],
  ["POST /api/quarantine/discard", [{ ids: [none] }], [{}, { ids: [] }, { ids: [none], more: 1 }]],
  [
    "POST /api/tools/read_file/state",
    [{ enabled: true }],
    [{}, { enabled: "true" }, { enabled: true, more: 1 }],
  ],
  [
    "POST /api/tools/none/call",
    [{}, { arguments: 1 }, { id: x(200), taskId: x(200), timeoutMs: 86_400_000 }, { timeoutMs: 1 }],
    [
      { id: "" },
      { id: x(201) },
      { taskId: "" },
      { taskId: x(201) },
      { timeoutMs: 0 },
      { timeoutMs: 86_400_001 },
      { timeoutMs: 1.5 },
      { more: 1 },
    ],
  ],
  [
    "GET /api/traces",
    [{}, { by: "task", text: x(200), limit: 1000 }, { by: "session", limit: 1 }],
    [{ by: "call" }, { text: x(201) }, { limit: 0 }, { limit: 1001 }, { more: 1 }],
  ],
  [
    "GET /api/trace",
    [{ task: "t" }, { session: x(200) }, { call: "c" }],
    [{}, { task: "" }, { session: x(201) }, { task: "t", call: "c" }, { more: 1 }],
  ],
];

describe("a request", () => {
  it.each(shapes)(
    "to %s is taken as it is described, and refused with the reason otherwise",
    async (address, right, wrong) => {
      const [method = "", path = ""] = address.split(" ");
      const hasQuery = method === "GET" || method === "DELETE";
      const ask = async (shape: unknown): Promise<string> => {
        const query = new URLSearchParams(shape as Record<string, string>);
        const { status, body } = await at.ask(hasQuery ? `${path}?${query.toString()}` : path, {
          method,
          ...(!hasQuery && { body: shape }),
        });
        const isMisfit =
          status === 400 &&
          body.error?.code === "REQUEST_INVALID" &&
          /^Invalid (?:body|query)\. ./u.test(body.error.message);
        return isMisfit ? `refused: ${body.error.hint}` : "taken";
      };
      for (const shape of right) expect([shape, await ask(shape)]).toEqual([shape, "taken"]);
      const refused = "refused: See docs/guide/serve.md for what each address takes.";
      for (const shape of wrong) expect([shape, await ask(shape)]).toEqual([shape, refused]);
    },
  );
});
