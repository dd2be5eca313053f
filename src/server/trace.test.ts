import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import type { TraceView } from "./api.js";
import { toCell } from "./export-log.js";
import { openTestServer, type TestServer } from "./testing/open-server.js";

let at: TestServer;

const outer = defineTool({
  name: "outer",
  description: "Calls others.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ depth: z.number() }),
  execute: async ({ depth }, ctx): Promise<{ depth: number }> => {
    if (depth > 0) await ctx.call("outer", { depth: depth - 1 });
    return { depth };
  },
});
const huge = defineTool({
  name: "huge",
  description: "Returns much.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({}),
  execute: () => ({
    text: "line of text 😀\n".repeat(400_000),
    rows: Array.from({ length: 5000 }, (_, n) => ({ n })),
  }),
});

const leaf = defineTool({
  name: "leaf",
  description: "Returns nothing.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ at: z.number() }),
  execute: () => ({}),
});
const many = defineTool({
  name: "many",
  description: "Calls another tool many times.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({}),
  execute: async (_, ctx) => {
    for (let place = 0; place < 40; place++) await ctx.call("leaf", { at: place });
    return {};
  },
});

beforeAll(async () => {
  at = await openTestServer({ tenonOptions: { tools: [outer, huge, leaf, many] } });
});
afterAll(() => at.close());

const call = async (tool: string, args: unknown, taskId?: string): Promise<string> => {
  const { body } = await at.post(`/api/tools/${tool}/call`, {
    arguments: args,
    ...(taskId !== undefined && { taskId }),
  });
  expect(body).toSucceed();
  return body.callId as string;
};

describe("a trace", () => {
  it("has the calls of a task in their order, nested ones with their caller", async () => {
    const callId = await call("outer", { depth: 3 }, "task-1");
    const { body } = await at.ask("/api/trace?task=task-1");
    const { spans, truncated } = body as TraceView;
    expect(truncated).toBe(false);
    expect(spans).toHaveLength(4);
    const parents = new Map(spans.map((span) => [span.callId, span.parentCallId]));
    const innermost = spans.find((span) => (span.arguments as { depth: number }).depth === 0)?.callId ?? "";
    const path = [innermost];
    for (let next = parents.get(innermost); next !== undefined; next = parents.get(next)) path.push(next);
    expect(path).toHaveLength(4);
    expect(path.at(-1)).toBe(callId);
    const around = await at.ask(`/api/trace?call=${innermost}`);
    expect((around.body as TraceView).spans.map((span) => span.callId).sort()).toEqual([...path].sort());
    const groups = await at.ask("/api/traces?by=task");
    expect(groups.body).toMatchObject([{ id: "task-1", calls: 4, failures: 0 }]);
  });

  it("says that it knows nothing of an unknown task, session or call", async () => {
    for (const query of ["task=x", "session=x", "call=x"]) {
      const { status } = await at.ask(`/api/trace?${query}`);
      expect(status).toBe(404);
    }
  });
});

describe("a large result", () => {
  it("is shown cut, and read whole piece by piece", async () => {
    const callId = await call("huge", {});
    const { body, text } = await at.ask(`/api/log/${callId}/shown`);
    expect(text.length).toBeLessThan(300_000);
    expect(body.large).toMatchObject([
      { of: "result", pointer: "/text", kind: "text" },
      { of: "result", pointer: "/rows", kind: "list", length: 5000, shown: 1000 },
    ]);
    const { length } = body.large[0] as { length: number };
    let read = "";
    while (read.length < length) {
      const part = await at.ask(`/api/log/${callId}/part?pointer=/text&from=${read.length}&count=1000000`);
      read += part.body.text as string;
    }
    expect(read).toBe("line of text 😀\n".repeat(400_000));
    const items = await at.ask(`/api/log/${callId}/part?pointer=/rows&from=4990&count=100`);
    expect(items.body).toMatchObject({ from: 4990, length: 5000, items: { length: 10, 9: { n: 4999 } } });
    for (const pointer of ["/nothing", "/__proto__", "/text/length"])
      expect((await at.ask(`/api/log/${callId}/part?pointer=${pointer}`)).status).toBe(404);
  });
});

describe("an export", () => {
  it("has all that fits the search, as JSONL and CSV", async () => {
    const { text, headers } = await at.ask("/api/log/export?format=jsonl&tool=outer");
    const lines = text.trim().split("\n");
    expect(lines).toHaveLength(4);
    expect(headers["content-disposition"]).toContain("tenon-log.jsonl");
    const csv = await at.ask("/api/log/export?format=csv&tool=outer&outcome=success");
    expect(csv.text.trim().split("\n")).toHaveLength(5);
    expect(csv.text).toMatch(/^seq,time,tool,/);
    const tally = await at.ask("/api/log/tally?tool=outer&buckets=5");
    expect(tally.body).toMatchObject({ total: 4, counts: { success: { length: 5 } } });
  });

  it("lets no spreadsheet take a text for a formula", () => {
    expect(toCell("=1+1")).toBe("'=1+1");
    expect(toCell('@a,"b"')).toBe(`"'@a,""b"""`);
    expect([toCell(-5), toCell(undefined), toCell("a\nb")]).toEqual(["-5", "", '"a\nb"']);
  });
});

describe("many traces", () => {
  it("have calls of the same millisecond in the order in which they were made", async () => {
    await call("many", {}, "quick");
    const { body } = await at.ask("/api/trace?task=quick");
    const places = (body as TraceView).spans.map((span) => (span.arguments as { at?: number }).at);
    const sorted = Array.from({ length: 40 }, (_, place) => place);
    expect(places.filter((place) => place !== undefined)).toEqual(sorted);
  });

  it("are found by a part of their names, however many are newer", async () => {
    await call("outer", { depth: 0 }, "Old-Task");
    for (const name of ["a", "b", "c"]) await call("outer", { depth: 0 }, `newer-${name}`);
    const find = async (text: string) => (await at.ask(`/api/traces?limit=2&text=${text}`)).body;
    expect(await find("old-")).toMatchObject([{ id: "Old-Task" }]);
    expect(await find("newer")).toMatchObject([{ id: "newer-c" }, { id: "newer-b" }]);
    expect(await find("nothing")).toEqual([]);
  });
});
