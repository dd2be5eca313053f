// npm run bench [suite …] [-- --time-limit SECONDS --profile]: run all suites, or those that are named.
// With --profile, a CPU profile of each suite and of the Tenons that it starts, from a build that names lines.
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listSuites, runSuites } from "./run-suites.mjs";

const suiteOptions = new Set(["--tree", "--state"]);
const folder = fileURLToPath(new URL("suites/", import.meta.url));
const root = fileURLToPath(new URL("..", import.meta.url));
const { names, options, timeLimitMs, profiled } = readArguments(process.argv.slice(2));
const available = listSuites(folder);
const unknown = names.filter((name) => !available.includes(name));
if (unknown.length > 0) {
  console.error(`No such suite: ${unknown.join(", ")}. There are: ${available.join(", ")}.`);
  process.exit(2);
}
console.log(
  `Node ${process.versions.node}, ${process.platform} ${process.arch}. Trust the ratios, not the microseconds.`,
);
const execArgv = profiled ? profileArguments() : [];
const failed = await runSuites({
  folder,
  root,
  names: names.length > 0 ? names : available,
  options,
  timeLimitMs,
  execArgv,
  log: (line) => console.error(line),
});
process.exitCode = failed.length > 0 ? 1 : 0;

/** Options of suites are theirs to read. */
function readArguments(words) {
  const rest = [...words];
  const at = rest.indexOf("--time-limit");
  const [, seconds = "600"] = at === -1 ? [] : rest.splice(at, 2);
  const profile = rest.indexOf("--profile");
  if (profile !== -1) rest.splice(profile, 1);
  if (!(Number(seconds) > 0)) {
    console.error(`--time-limit takes seconds, not "${seconds}".`);
    process.exit(2);
  }
  const isOption = (word, index) => word.startsWith("--") || suiteOptions.has(rest[index - 1]);
  const unknown = rest.find((word) => word.startsWith("-") && !suiteOptions.has(word));
  if (unknown !== undefined) {
    console.error(
      `Unknown option ${unknown}. There are: --time-limit SECONDS, --profile, --tree DIR, --state DIR.`,
    );
    process.exit(2);
  }
  return {
    names: rest.filter((word, index) => !isOption(word, index)),
    options: rest.filter(isOption),
    timeLimitMs: Number(seconds) * 1000,
    profiled: profile !== -1,
  };
}

function profileArguments() {
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), "--program", "--readable"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const dir = mkdtempSync(join(tmpdir(), "tenon-profile-"));
  console.log(`Profiles: ${dir} (open them in the performance page of a browser's tools)`);
  return ["--cpu-prof", `--cpu-prof-dir=${dir}`];
}
