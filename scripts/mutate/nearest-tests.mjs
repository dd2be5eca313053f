// Orders the tests by their distance from a source file in the graph of imports.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseSync } from "rolldown/utils";

/** Of the tests next to the code, as many as this are tried for a file, up to this distance. */
const most = 16;
const farthest = 4;

/** The tests of the whole product that are about one folder, and run it in their own process. */
const endToEnd = [
  [
    "src/call/",
    /^test\/(spine-.*|pipeline|idempotency|lifetimes|robustness|foreign-calls|shell-policy|walls)\.test/u,
  ],
  ["src/scheduler/", /^(src\/call\/schedule|test\/idempotency)\.test/u],
  ["src/policy/", /^(src\/call\/(authorise|approve)|test\/shell-policy)\.test/u],
  ["src/registry/", /^test\/(spine-life|spine-class-tool|tool-search)\.test/u],
  ["src/world/files/", /^test\/file-(?!processes).*\.test/u],
  ["src/world/journal/", /^test\/file-(edit|layers|properties)\.test/u],
  ["src/world/sandbox/", /^test\/(walls.*|world)\.test/u],
  ["src/mcp/gateway/", /^test\/(mcp-gateway.*|mcp-listing)\.test/u],
  ["src/record/", /^(test\/pipeline|src\/call\/respond)\.test/u],
  ["src/store/", /^test\/(state-hazards|idempotency)\.test/u],
];

/** A function that gives the tests that import a file, directly or through others: first those in its folder and the folders above, then those in `test/` about the folder, then others by their distance. */
export function readTests(root) {
  const importers = new Map();
  const files = ["src", "test"].flatMap((folder) => sourceFiles(join(root, folder)));
  for (const file of files) {
    for (const imported of importsOf(file))
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
  }
  return (file) => orderTests(distances(importers, file), { file, root });
}

/** The TypeScript files below a folder. */
export function sourceFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
    .map((name) => join(folder, name))
    .sort();
}

function importsOf(file) {
  const { module } = parseSync(file, readFileSync(file, "utf8"));
  const text = readFileSync(file, "utf8");
  const named = [
    ...module.staticImports.filter(
      ({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType),
    ),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.filter(({ isType, moduleRequest }) => moduleRequest && !isType),
    ),
  ].map(({ moduleRequest }) => moduleRequest.value);
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
  );
  return [...new Set([...named, ...dynamic])]
    .filter((name) => name.startsWith("."))
    .map((name) => resolve(dirname(file), name).replace(/\.js$/u, ".ts"))
    .filter((name) => existsSync(name));
}

function distances(importers, file) {
  const found = new Map([[file, 0]]);
  for (const [current, distance] of found) {
    for (const importer of importers.get(current) ?? [])
      if (!found.has(importer)) found.set(importer, distance + 1);
  }
  return found;
}

function orderTests(found, { file, root }) {
  const beside = file.replace(/\.ts$/u, ".test.ts");
  const rank = (test) =>
    test === beside ? 0 : found.get(test) - (dirname(test) === dirname(file) ? 0.5 : 0);
  const tests = [...found.keys()]
    .filter((name) => name.endsWith(".test.ts"))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const whole = endToEnd.find(([folder]) => file.startsWith(join(root, folder)))?.[1];
  const near = tests
    .filter((test) => test.startsWith(join(root, "src")) && rank(test) <= farthest)
    .slice(0, most);
  const isOwn = (test) => dirname(test) === dirname(file);
  // Tests of a part as a whole, such as those that start a server, are in the folder above and import it from afar.
  const above = tests.filter(
    (test) =>
      !near.includes(test) && file.startsWith(`${dirname(test)}/`) && dirname(test) !== join(root, "src"),
  );
  return [
    ...new Set([
      ...near.filter(isOwn),
      ...byName(above, file),
      ...tests.filter((test) => whole?.test(relative(root, test))),
      ...near.filter((test) => !isOwn(test)),
    ]),
  ];
}

/** Those whose names share a word with the file's first. */
function byName(tests, file) {
  const words = wordsOf(file);
  const shares = (test) => wordsOf(test).some((word) => words.includes(word));
  return [...tests.filter(shares), ...tests.filter((test) => !shares(test))];
}

function wordsOf(file) {
  return basename(file, ".ts")
    .replace(/\.test$/u, "")
    .split("-");
}
