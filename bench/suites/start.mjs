// What it costs to import the library and to start the command line.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { printGoal, printTable, quantile } from "../measure.mjs";

const here = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Most of the library is loaded by the first function of it that is called. */
const firstUse = [
  "--input-type=module",
  "-e",
  `const t = performance.now();
  const { createTenon } = await import(${JSON.stringify(here("dist/index.js"))});
  const tenon = createTenon();
  console.log(performance.now() - t);
  await tenon.close();`,
];

export async function run() {
  const importOf = (what) => [
    "--input-type=module",
    "-e",
    `const t = performance.now(); await import(${JSON.stringify(what)}); console.log(performance.now() - t)`,
  ];
  const imports = takeTurns(15, {
    zod: () => Number(node(importOf("zod"))),
    tenon: () => Number(node(importOf(here("dist/index.js")))),
    "tenon and a first createTenon": () => Number(node(firstUse)),
  });
  printTable("Import", inMicroseconds(imports), "zod");
  const wall = (args) => {
    const started = performance.now();
    node(args);
    return performance.now() - started;
  };
  const starts = takeTurns(15, {
    "node -e 0": () => wall(["-e", "0"]),
    "tenon --version": () => wall([here("bin/tenon.cjs"), "--version"]),
    "tenon call current_time": () => wall([here("bin/tenon.cjs"), "call", "current_time"]),
  });
  printTable("Start", inMicroseconds(starts), "node -e 0");
  console.log();
  printGoal("import tenon against import zod", median(imports.tenon) / median(imports.zod), 1.2);
  printGoal(
    "tenon --version against node -e 0",
    median(starts["tenon --version"]) / median(starts["node -e 0"]),
    1.5,
  );
  printGoal(
    "tenon call current_time against node -e 0",
    median(starts["tenon call current_time"]) / median(starts["node -e 0"]),
    2.2,
  );
}

/** Without additional certificates: where they are set, every Node.js reads them first, which took longer than the rest of `node -e 0`. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

function node(args) {
  return execFileSync(process.execPath, args, { cwd: here("."), encoding: "utf8", env });
}

function takeTurns(rounds, contenders) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) samples[name].push(run());
  }
  return samples;
}

function inMicroseconds(samples) {
  return new Map(
    Object.entries(samples).map(([name, ms]) => [
      name,
      { median: median(ms) * 1000, mean: (ms.reduce((sum, value) => sum + value, 0) / ms.length) * 1000 },
    ]),
  );
}

function median(values) {
  return quantile(values, 0.5);
}
