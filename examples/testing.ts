// Tests of a tool: alone with a context, and as a whole call. `expect.extend(matchers)` works in Vitest and Jest.
import assert from "node:assert/strict";
import { builtInTools, defineTool } from "tenon";
import { createTestContext } from "tenon/testing";
import * as z from "zod";

const countWords = defineTool({
  name: "count_words",
  description: "Count the words of a file.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ path: z.string() }),
  resources: ({ path }) => ({ reads: [{ path }] }),
  execute: async ({ path }, ctx) => {
    const text = new TextDecoder().decode(await ctx.files.read(path));
    ctx.emit({ message: `read ${text.length} characters` });
    return { words: text.split(/\s+/).filter(Boolean).length };
  },
});

const ctx = await createTestContext({ tools: [countWords], files: { "poem.txt": "roses are red" } });

// The tool alone: its real ports, no policy, no schema.
assert.deepEqual(await countWords.execute({ path: "poem.txt" }, ctx), { words: 3 });
assert.deepEqual(ctx.progress, [{ message: "read 13 characters" }]);

// A whole call: schema, policy, approvals, records.
const answer = await ctx.session.call(countWords, { path: "../secret.txt" });
assert.equal(answer.error?.code, "PATH_TRAVERSAL");

// Built-in tools are values, too.
const read = await builtInTools.read_file.execute({ path: "poem.txt" }, ctx);
assert.match(read.content, /roses/);
await ctx.close();
