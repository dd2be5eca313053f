import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Where the program is that a plugin lives in. */
export function pluginHostFile(): string {
  return beside("plugin-host");
}

const sources = { "plugin-host": "../../plugin/testing/source-host.mjs", "plugin-kit": "./plugin-kit.ts" };

/** Packages that a plugin need not bring along: what it may use of Tenon, and Zod. */
export function pluginPackages(): Readonly<Record<string, string>> {
  const require = createRequire(import.meta.url);
  return { tenon: beside("plugin-kit"), zod: require.resolve("zod") };
}

/** A file of the built package, whichever chunk this is in; in tests what stands for it in the sources. */
function beside(name: keyof typeof sources): string {
  const here = import.meta.url;
  if (here.endsWith(".ts")) return fileURLToPath(new URL(sources[name], here));
  return fileURLToPath(new URL(/\/chunks\/[^/]*$/.test(here) ? `../${name}.js` : `./${name}.js`, here));
}
