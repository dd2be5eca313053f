import assert from "node:assert/strict";
import { createTenon, defineTool } from "tenon";
import * as z from "zod";

const greet = defineTool({
  name: "greet",
  description: "Greet someone by name.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ who: z.string().describe("Whom to greet") }),
  execute: ({ who }) => ({ text: `Hello, ${who}` }),
});

const tenon = createTenon({ tools: [greet] });
const answer = await tenon.call({ name: "greet", arguments: { who: "Ada" } });
assert.deepEqual(answer.result, { text: "Hello, Ada" });

const refused = await tenon.call({ name: "greet", arguments: { whom: "Ada" } });
assert.match(refused.error?.message ?? "", /Did you mean "who"/);
await tenon.close();
