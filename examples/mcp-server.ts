// A program of your own that serves its tools over MCP, and a Tenon that uses it as one of its servers.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createTenon, defineTool, serveStdio } from "tenon";
import * as z from "zod";

const greet = defineTool({
  name: "greet",
  description: "Greet someone by name.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ who: z.string() }),
  execute: ({ who }) => ({ text: `Hello, ${who}` }),
});

if (process.env["SERVE"] === "1") {
  const tenon = createTenon({ builtIns: false, tools: [greet] });
  await serveStdio(tenon);
  await tenon.close();
} else {
  const jiti = fileURLToPath(import.meta.resolve("jiti/package.json")).replace(
    "package.json",
    "lib/jiti-cli.mjs",
  );
  const args = [jiti, fileURLToPath(import.meta.url)];
  const greeter = { command: process.execPath, args, env: { SERVE: "1" } };
  const tenon = createTenon({
    interact: { approve: () => true },
    config: { mcpServers: { greeter } },
  });
  const answer = await tenon.call("greeter:greet", { who: "Ada" });
  assert.match(JSON.stringify(answer.result), /Hello, Ada/);
  await tenon.close();
}
