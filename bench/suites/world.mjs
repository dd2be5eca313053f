// The guards: reading a small file, deciding by a hundred rules, a request to an allowed server.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";
import { compare, printGoal, printTable } from "../measure.mjs";

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const file = join(root, "small.txt");
  writeFileSync(file, "x".repeat(4096));
  const rules = Array.from({ length: 100 }, (_, at) => ({
    decision: "deny",
    tool: "write_*",
    path: `secret-${at}/**`,
    host: `h${at}.example`,
  }));
  const { tenon, ctx } = await openContext(root, rules);
  await benchRead(ctx, file);
  await benchPolicy(tenon);
  await benchEgress(ctx);
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
}

/** A context that outlives its call, to measure the ports alone. */
async function openContext(root, rules) {
  let ctx;
  const lend = defineTool({
    name: "lend",
    description: "Hand out the context.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({}),
    execute: (_input, given) => {
      ctx = given;
      return {};
    },
  });
  const tenon = createTenon({
    workspace: root,
    config: { stateDir: `${root}-state`, policy: { rules }, network: { allowHosts: ["127.0.0.1"] } },
    tools: [lend],
  });
  await tenon.call({ name: "lend" });
  return { tenon, ctx };
}

async function benchRead(ctx, file) {
  const results = await compare(
    { "fs.promises.readFile": () => readFile(file), "guarded read": () => ctx.files.read("small.txt") },
    { rounds: 60, callsPerRound: 300 },
  );
  printTable("Read of 4 KB", results, "fs.promises.readFile");
  console.log();
  printGoal(
    "guarded read against readFile",
    results.get("guarded read").median / results.get("fs.promises.readFile").median,
    1.3,
  );
}

async function benchPolicy(tenon) {
  const call = (path) => ({
    toolName: "write_file",
    category: "file",
    annotations: { dangerous: true },
    agent: "bench",
    sessionId: "s",
    reads: [],
    writes: [{ path }],
  });
  const paths = Array.from({ length: 64 }, (_, at) => call(`src/module-${at}/file.ts`));
  let at = 0;
  const results = await compare(
    {
      "100 rules, a path": () => tenon.policy.decide(paths[at++ % paths.length]),
      "no path": () =>
        tenon.policy.decide({
          ...paths[0],
          toolName: "current_time",
          annotations: { readOnly: true },
          writes: [],
        }),
    },
    { callsPerRound: 2000 },
  );
  printTable("A decision of the policy", results, "no path");
  console.log();
  printGoal("µs for a decision by 100 rules", results.get("100 rules, a path").median, 5);
}

async function benchEgress(ctx) {
  const server = createServer((_request, response) => response.end("x".repeat(1024)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const agent = new Agent();
  const results = await compare(
    {
      undici: async () => (await request(url, { dispatcher: agent })).body.bytes(),
      "guarded request": () => ctx.http.request({ url }),
    },
    { rounds: 40, callsPerRound: 100 },
  );
  printTable("A request to an allowed server", results, "undici");
  console.log();
  printGoal(
    "guarded request against undici",
    results.get("guarded request").median / results.get("undici").median,
    1.05,
  );
  await agent.close();
  server.closeAllConnections();
  server.close();
}
