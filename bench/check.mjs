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
// Seven suites end within 25 minutes, whatever one of them does.
const timeLimit = rest.includes("--time-limit") ? [] : ["--time-limit", "200"];

const run = fileURLToPath(new URL("run.mjs", import.meta.url));
const child = spawn(process.execPath, [run, ...suites, ...rest, ...timeLimit], {
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = once(child, "exit");
// What a suite left running may still hold the pipe.
void ended.then(() => setTimeout(() => child.stdout.destroy(), 1000).unref());
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
  const unknown = Object.keys(measured).filter((name) => recorded[name] === undefined);
  for (const name of unknown) console.log(`not recorded yet: ${name}: ${measured[name]}`);
  console.log(
    `\n${Object.keys(measured).length} ratios, ${worse.length} of them more than a quarter above the recorded ones.`,
  );
  process.exitCode = worse.length > 0 || code !== 0 ? 1 : 0;
}
