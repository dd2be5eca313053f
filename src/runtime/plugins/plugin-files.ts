import { createRequire } from "node:module";
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

/** A file of the built package, whichever chunk this is in; in tests the matching source file. */
function packageFile(name: keyof typeof sources): string {
  const here = import.meta.url;
  if (here.endsWith(".ts")) return fileURLToPath(new URL(sources[name], here));
  return fileURLToPath(new URL(/\/chunks\/[^/]*$/.test(here) ? `../${name}.js` : `./${name}.js`, here));
}
