// A tool that reports while it runs, and a caller that sees it as it happens.
import assert from "node:assert/strict";
import { createTenon, defineTool } from "tenon";
import * as z from "zod";

const countdown = defineTool({
  name: "countdown",
  description: "Count down.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ from: z.int().min(1).max(10) }),
  async *execute({ from }) {
    for (let left = from; left > 0; left--) yield { message: `${left}…`, progress: from - left, total: from };
    return { done: true };
  },
});

const tenon = createTenon({ tools: [countdown] });
const seen: string[] = [];
for await (const item of tenon.stream({ name: "countdown", arguments: { from: 3 } })) {
  if (item.type === "TOOL_CALL_PROGRESS") seen.push(item.payload.message ?? "");
  if (item.type === "result") assert.deepEqual(item.envelope.result, { done: true });
}
assert.deepEqual(seen, ["3…", "2…", "1…"]);
await tenon.close();
