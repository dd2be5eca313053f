// Builds the console into dist/console, each file with its compressed twins beside it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

/** @param {string} root The project's folder. */
export async function buildConsole(root) {
  await build({
    root: join(root, "console"),
    configFile: join(root, "console/vite.config.ts"),
    logLevel: "warn",
  });
  const folder = join(root, "dist/console");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (/\.(?:js|css|html|svg)$/.test(name)) compress(join(folder, name));
  }
}

function compress(path) {
  const content = readFileSync(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
