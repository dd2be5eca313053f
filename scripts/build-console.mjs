// Builds the console into dist/console.
import { join } from "node:path";
import { build } from "vite";

/** @param {string} root The project's folder. */
export async function buildConsole(root) {
  await build({
    root: join(root, "console"),
    configFile: join(root, "console/vite.config.ts"),
    logLevel: "warn",
  });
}
