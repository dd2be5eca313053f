// Chains against the same calls one by one, and the search for a tool in a large catalogue.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { createTenon, defineChain, defineTool } from "../../dist/index.js";
import { compare, printGoal, printTable } from "../measure.mjs";

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const echo = defineTool({
    name: "echo",
    description: "Give back a number.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
    execute: async ({ n }) => ({ n }),
  });
  const step = (at) => ({
    id: `s${at}`,
    tool: "echo",
    input: { n: at === 0 ? "{{ input.n }}" : `{{ steps.s${at - 1}.n }}` },
  });
  const chain = defineChain({
    name: "ten",
    description: "Ten steps.",
    input: z.object({ n: z.number() }),
    steps: Array.from({ length: 10 }, (_, at) => step(at)),
  });
  const fillers = Array.from({ length: 5000 }, (_, at) =>
    defineTool({
      name: `server${at % 50}:tool_${at}`,
      description: `Reads, writes or searches the records of kind ${at} in the remote store number ${at % 50}.`,
      category: "custom",
      input: { type: "object", properties: { recordId: { type: "string" }, fields: { type: "array" } } },
      execute: () => at,
    }),
  );
  const tenon = createTenon({
    workspace: root,
    config: { stateDir: `${root}-state` },
    tools: [echo, chain, ...fillers],
  });
  const ten = async () => {
    let n = 1;
    for (let at = 0; at < 10; at++) n = (await tenon.call({ name: "echo", arguments: { n } })).result.n;
    return n;
  };
  const search = (query) => tenon.call({ name: "tool_search", arguments: { query } });
  const results = await compare(
    {
      "ten calls": ten,
      "a chain of ten": () => tenon.call({ name: "ten", arguments: { n: 1 } }),
      "search, rare word": () => search("undo"),
      "search, words of every tool": () => search("search records in a remote store"),
    },
    {
      callsPerRound: {
        "ten calls": 500,
        "a chain of ten": 500,
        "search, rare word": 50,
        "search, words of every tool": 20,
      },
    },
  );
  printTable("Chains, and tool_search over 5,000 tools", results, "ten calls");
  console.log();
  const at = (name) => results.get(name).median;
  printGoal("a chain of ten against ten calls", at("a chain of ten") / at("ten calls"), 1.1);
  printGoal("tool_search, ms, rare word", at("search, rare word") / 1000, 5);
  printGoal("tool_search, ms, words of every tool", at("search, words of every tool") / 1000, 5);
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
}
