import { definePlugin, defineTool } from "tenon";
import * as z from "zod";

const todos = defineTool({
  name: "find_todos",
  description: "List the TODO notes of a file in the workspace.",
  category: "custom",
  version: "1.0.0",
  annotations: { readOnly: true, idempotent: true },
  input: z.object({ path: z.string().describe("File in the workspace.") }),
  output: z.object({ todos: z.array(z.object({ line: z.number(), text: z.string() })) }),
  // What it will read is judged and locked before it runs.
  resources: ({ path }) => ({ reads: [{ path }] }),
  async execute({ path }, ctx) {
    // The plugin lives in another process, and reads through the guard of the call all the same.
    const text = new TextDecoder().decode(await ctx.files.read(path));
    ctx.emit(`looking through ${path}`);
    const lines = text
      .split("\n")
      .map((line, at) => ({ line: at + 1, text: /TODO:?\s*(.*)/.exec(line)?.[1] }));
    return {
      todos: lines.flatMap(({ line, text: note }) => (note === undefined ? [] : [{ line, text: note }])),
    };
  },
  render: ({ todos: found }) =>
    found.map(({ line, text }) => `${line}: ${text}`).join("\n") || "Nothing to do.",
});

export default definePlugin({
  name: "todos",
  version: "1.0.0",
  description: "Finds what is left to do.",
  tools: [todos],
  setup({ options, log }) {
    log.info("ready", { options });
  },
});
