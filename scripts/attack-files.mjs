#!/usr/bin/env node
/*
 * The long attack on the file guard: every operation, at least 100,000 tries each, while another
 * process exchanges directories and files with links that leave the workspace.
 *
 *   node scripts/attack-files.mjs [--tries 100000] [operation ...]
 *
 * Exits 1 where anything outside was read or changed, or where the unguarded control was not hit.
 */
import { createJiti } from "jiti";

const jiti = createJiti(import.meta.url);
const { runAttack } = await jiti.import("../test/attack/run-attack.ts");
const { control, operations } = await jiti.import("../test/attack/operations.ts");

const args = process.argv.slice(2);
const at = args.indexOf("--tries");
const tries = at < 0 ? 100_000 : Number(args.splice(at, 2)[1]);
const unknown = args.filter((name) => !(name in operations));
if (!Number.isSafeInteger(tries) || tries < 1 || unknown.length > 0) {
  console.error(`Usage: attack-files.mjs [--tries N] [${Object.keys(operations).join(" | ")}]`);
  process.exit(2);
}

const naive = await runAttack(control, { least: { tries: 100, milliseconds: 3000 } });
console.log(`Swapping by ${naive.how}.`);
console.log(`control (realpath, compare, open): ${naive.escapes} escapes in ${naive.tries} tries`);
let failed = naive.escapes === 0;
for (const name of args.length > 0 ? args : Object.keys(operations)) {
  const result = await runAttack(operations[name], { tries });
  const refused = Object.entries(result.refused).map(([code, count]) => `${code} ${count}`);
  console.log(
    `${name.padEnd(16)} ${result.tries} tries, ${result.swaps} swaps: ${result.escapes} escapes, ` +
      `${result.leaked} descriptors leaked, ${result.done} done, refused: ${refused.join(", ") || "none"}`,
  );
  for (const fault of result.faults) console.log(`  fault: ${fault}`);
  failed ||= result.escapes > 0 || result.leaked > 0 || result.faults.length > 0;
}
process.exitCode = failed ? 1 : 0;
