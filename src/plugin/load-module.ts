import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";

/** How a module is loaded. */
export interface LoadOptions {
  /** The folder of the plugin. */
  readonly root: string;
  /** Where `tenon` and other packages are when the plugin does not bring them along, by name. */
  readonly packages: Readonly<Record<string, string>>;
  /** Reload it although this process has loaded it before; not by Node itself, which never unloads modules. */
  readonly fresh: boolean;
}

/** Import a plugin's main file, TypeScript too; gives all its exports. */
export async function loadModule(file: string, options: LoadOptions): Promise<unknown> {
  if (options.fresh || !nativelyLoadable(file)) return loadByJiti(file, options);
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    // What fails to be linked has not run yet, so it can be tried in another way.
    if (!wasNotLinked(error)) throw error;
    return loadByJiti(file, options);
  }
}

function nativelyLoadable(file: string): boolean {
  if (!/\.[cm]?ts$/.test(file)) return true;
  const { features } = process as { features?: { typescript?: unknown } };
  return features?.typescript === "strip" || features?.typescript === "transform";
}

const notLinked = new Set([
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_DIR_IMPORT",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_REQUIRE_ESM",
]);

function wasNotLinked(error: unknown): boolean {
  return error instanceof SyntaxError || notLinked.has(String((error as { code?: unknown } | null)?.code));
}

async function loadByJiti(file: string, { root, packages, fresh }: LoadOptions): Promise<unknown> {
  const { createJiti } = await import("jiti");
  const require = createRequire(file);
  if (fresh) forget(require.cache, root);
  const missing = Object.entries(packages).filter(([name]) => name === "tenon" || !canResolve(require, name));
  const jiti = createJiti(file, {
    // Compiled code that others can write to must not come in this way.
    fsCache: false,
    interopDefault: false,
    alias: Object.fromEntries(missing),
  });
  if (!fresh) return jiti.import(file);
  try {
    // Imported, modules of JavaScript would be handed to Node, which keeps them for ever.
    return jiti(file) as unknown;
  } catch (error) {
    if (!/await/.test(String((error as Error | null)?.message)) && !(error instanceof SyntaxError))
      throw error;
    const text = readFileSync(file, "utf8");
    return jiti.evalModule(text, { filename: file, async: true, forceTranspile: true });
  }
}

/** The plugin's own modules are run again; those of packages stay. */
function forget(cache: NodeJS.Dict<NodeModule>, root: string): void {
  for (const name of Object.keys(cache)) {
    const own =
      name.startsWith(`${root}${sep}`) && !name.slice(root.length).includes(`${sep}node_modules${sep}`);
    if (own) delete cache[name];
  }
}

function canResolve(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
