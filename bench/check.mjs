// npm run bench:check [suite …] [-- --record --time-limit SECONDS]: run suites, and compare their ratios with those in
// recorded.json. Not for CI: run it before a release, on a quiet machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ratioIn, slower } from "./recorded-ratios.mjs";

const file = fileURLToPath(new URL("recorded.json", import.meta.url));
const words = process.argv.slice(2);
const rest = words.filter((word) => word !== "--record");
const isSuite = (word, at) => !word.startsWith("--") && !["--time-limit", "--tree"].includes(rest[at - 1]);
const suites = rest.some(isSuite) ? [] : ["call", "audit", "mcp", "gateway", "http", "start", "extend"];

const run = fileURLToPath(new URL("run.mjs", import.meta.url));
const child = spawn(process.execPath, [run, ...suites, ...rest], {
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = once(child, "exit");
const measured = {};
for await (const line of createInterface({ input: child.stdout })) {
  console.log(line);
  const ratio = ratioIn(line);
  if (ratio !== undefined) measured[ratio.name] = ratio.value;
}
const [code] = await ended;
const recorded = JSON.parse(readFileSync(file, "utf8"));
if (words.includes("--record")) {
  writeFileSync(file, `${JSON.stringify({ ...recorded, ...measured }, undefined, 2)}\n`);
  console.log(`\n${Object.keys(measured).length} ratios recorded.`);
  process.exitCode = code === 0 ? 0 : 1;
} else {
  const worse = slower(measured, recorded);
  for (const { name, now, before } of worse) console.error(`slower: ${name}: ${now}, recorded ${before}`);
  console.log(
    `\n${Object.keys(measured).length} ratios, ${worse.length} of them more than a quarter above the recorded ones.`,
  );
  process.exitCode = worse.length > 0 || code !== 0 ? 1 : 0;
}
