import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The program that runs a plugin. */
export function pluginHostFile(): string {
  return packageFile("plugin-host");
}

const sources = { "plugin-host": "../../plugin/testing/source-host.mjs", "plugin-kit": "./plugin-kit.ts" };

/** Packages that are provided to plugins: the plugin part of Tenon, and Zod. */
export function pluginPackages(): Readonly<Record<string, string>> {
  const require = createRequire(import.meta.url);
  return { tenon: packageFile("plugin-kit"), zod: require.resolve("zod") };
}

/** The folders of the packages that files belong to. */
export function packageFolders(files: readonly string[]): readonly string[] {
  return [...new Set(files.map(packageFolder))];
}

function packageFolder(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return dirname(file);
}

/** A file of the built package, whichever chunk this is in; in tests the matching source file. */
function packageFile(name: keyof typeof sources): string {
  const here = import.meta.url;
  if (here.endsWith(".ts")) return fileURLToPath(new URL(sources[name], here));
  return fileURLToPath(new URL(/\/chunks\/[^/]*$/.test(here) ? `../${name}.js` : `./${name}.js`, here));
}
