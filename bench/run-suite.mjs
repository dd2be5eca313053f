// node bench/run-suite.mjs SUITE ROOT: check that what a suite needs is there, then run it.
import { pathToFileURL } from "node:url";
import { describeMissing, findMissing } from "./requirements.mjs";

const [, , suite = "", root = ""] = process.argv;
try {
  const { run, needs = [] } = await import(pathToFileURL(suite).href);
  const missing = findMissing(root, needs);
  for (const line of missing.map(describeMissing)) console.error(line);
  if (missing.length > 0) process.exit(3);
  await run();
} catch (error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.error(
    /\/dist\//.test(error.message)
      ? `bench: dist/ is missing or old. Run: npm run build\n  ${error.message}`
      : `bench: a package is missing. Run: npm install\n  ${error.message}`,
  );
  process.exit(3);
}
