// npm run bench [suite …]: run all suites, or those that are named.
import { readdirSync } from "node:fs";

const available = readdirSync(new URL("suites/", import.meta.url)).map((file) => file.replace(/\.mjs$/, ""));
// Options of suites (`--tree DIR`) are theirs to read.
const wanted = process.argv
  .slice(2)
  .filter((arg, at, all) => !arg.startsWith("--") && all[at - 1] !== "--tree");
const unknown = wanted.filter((name) => !available.includes(name));
if (unknown.length > 0) {
  console.error(`No such suite: ${unknown.join(", ")}. There are: ${available.join(", ")}.`);
  process.exit(2);
}
console.log(
  `Node ${process.versions.node}, ${process.platform} ${process.arch}. Trust the ratios, not the microseconds.`,
);
for (const name of wanted.length > 0 ? wanted : available) {
  const { run } = await import(`./suites/${name}.mjs`);
  await run();
}
