// A process that changes things until it is killed: node killed-child.mjs WORKSPACE STATE_DIR DURABILITY.
// Each change leaves its call's id in effects/; each answer is told on standard output.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { createTenon, defineTool } from "../dist/index.js";

const [workspace, stateDir, durability] = process.argv.slice(2);
const effects = join(workspace, "effects");
mkdirSync(effects, { recursive: true });

const change = defineTool({
  name: "change",
  description: "Change something outside the journal.",
  category: "custom",
  input: z.object({ ms: z.number() }),
  async execute({ ms }, { callId }) {
    writeFileSync(join(effects, callId), "");
    await pause(ms);
    return "changed";
  },
});
const nest = defineTool({
  name: "nest",
  description: "Let another call change something.",
  category: "custom",
  input: z.object({}),
  execute: async (_, ctx) => (await ctx.call({ name: "change", arguments: { ms: 1 } })).success,
});

const rules = ["change", "nest", "write_file"].map((tool) => ({ decision: "allow", tool }));
const tenon = createTenon({
  workspace,
  config: { stateDir, durability, policy: { rules } },
  tools: [change, nest],
});

async function work(name) {
  const session = tenon.createSession({ id: `${name}-${process.pid}` });
  for (let at = 0; ; at++) {
    const requests = [
      { name: "change", arguments: { ms: at % 4 } },
      { name: "nest", arguments: {} },
      { name: "write_file", arguments: { path: `${name}-${process.pid}-${at}.txt`, content: `${at}\n` } },
    ];
    for (const request of requests) {
      const { callId, success } = await session.call(request);
      process.stdout.write(`${JSON.stringify({ session: session.id, callId, success })}\n`);
    }
  }
}

await Promise.all([work("one"), work("two")]);
