import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { ToolDefinitionError } from "../contract/errors.js";

/** Where plugins are looked for. */
export interface PluginLocations {
  /** Relative paths start here. */
  readonly cwd: string;
  /** Folders whose `node_modules` are searched for packages, the first that has it wins. */
  readonly packageFolders: readonly string[];
}

/** A plugin that was found on the disk. */
export interface FoundPlugin {
  /** As it was named. */
  readonly source: string;
  readonly kind: "file" | "folder" | "package";
  /** The module to load. */
  readonly file: string;
  /** The folder that belongs to it: what is watched and where its process runs. */
  readonly root: string;
  /** What to call it in messages before it has said its name. */
  readonly label: string;
}

const extensions = ["ts", "mts", "js", "mjs", "cts", "cjs"];

/** Find the main file of a plugin that is named by a path or a package name, or say where it was looked for. */
export function findPlugin(source: string, places: PluginLocations): FoundPlugin {
  if (source.trim() === "" || source.includes("\0")) {
    throw notFound(source, "a plugin is named by a file, a folder or an npm package");
  }
  return isPath(source) ? atPath(source, resolve(places.cwd, source)) : inPackages(source, places);
}

/** `./x`, `../x`, an absolute path, or a file name with an ending that no package has. */
export function isPath(source: string): boolean {
  return /^\.{1,2}(?:[\\/]|$)/.test(source) || isAbsolute(source) || /\.[cm]?[jt]s$/.test(source);
}

function atPath(source: string, path: string): FoundPlugin {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw notFound(source, `${path} does not exist`);
  const real = realpathSync(path);
  if (stat.isDirectory()) {
    return { source, kind: "folder", file: mainOf(source, real), root: real, label: labelOf(real) };
  }
  if (!stat.isFile()) throw notFound(source, `${path} is neither a file nor a folder`);
  if (!extensions.some((ending) => real.endsWith(`.${ending}`))) {
    throw notFound(source, `${path} does not end in one of ${extensions.map((e) => `.${e}`).join(", ")}`);
  }
  return { source, kind: "file", file: real, root: dirname(real), label: labelOf(real) };
}

function inPackages(source: string, { packageFolders, cwd }: PluginLocations): FoundPlugin {
  const name = packageName(source);
  if (name === undefined) {
    throw notFound(
      source,
      "it is neither a path nor the name of an npm package",
      `Write "./${source}" for a file.`,
    );
  }
  for (const folder of packageFolders) {
    const root = join(folder, "node_modules", name);
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const real = realpathSync(root);
    return { source, kind: "package", file: mainOf(source, real), root: real, label: name };
  }
  const near = statSync(resolve(cwd, source), { throwIfNoEntry: false }) !== undefined;
  throw notFound(
    source,
    `no package of that name in ${packageFolders.map((folder) => join(folder, "node_modules")).join(", ")}`,
    near
      ? `There is a file or folder of that name: write "./${source}".`
      : `"tenon plugins add ${name}" installs it.`,
  );
}

/** The package of `name`, `@scope/name`, `name@1.2.3`; `undefined` where it can be none. */
export function packageName(source: string): string | undefined {
  return /^(@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*|[a-z0-9][\w.-]*)(?:@\S+)?$/i.exec(source)?.[1];
}

/** What package.json names (`tenon`, `exports`, `main`), else `index.*`. */
function mainOf(source: string, root: string): string {
  const manifest = readManifest(source, root);
  for (const candidate of [exported(manifest), manifest?.["main"]]) {
    if (typeof candidate !== "string") continue;
    const file = withEnding(resolve(root, candidate));
    if (file === undefined) throw notFound(source, `package.json names ${candidate}, which does not exist`);
    return file;
  }
  const index = withEnding(join(root, "index"));
  if (index !== undefined) return index;
  throw notFound(source, `${root} has neither an index file nor a package.json with "main" or "exports"`);
}

function readManifest(source: string, root: string): Readonly<Record<string, unknown>> | undefined {
  const file = join(root, "package.json");
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    return Object(JSON.parse(readFileSync(file, "utf8"))) as Record<string, unknown>;
  } catch (cause) {
    throw notFound(source, `${file} is not valid JSON: ${String(cause)}`);
  }
}

/** The main entry of `exports`, by the conditions that fit a plugin. */
function exported(manifest: Readonly<Record<string, unknown>> | undefined): unknown {
  const value = manifest?.["exports"];
  if (value === undefined || typeof value === "string") return value;
  return firstTarget(typeof value === "object" && value !== null && "." in value ? value["."] : value);
}

function firstTarget(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const byCondition = value as Readonly<Record<string, unknown>>;
  for (const condition of ["tenon", "node", "import", "module-sync", "default", "require"]) {
    const target = firstTarget(byCondition[condition]);
    if (target !== undefined) return target;
  }
  return undefined;
}

function withEnding(path: string): string | undefined {
  const candidates = [
    path,
    ...extensions.flatMap((e) => [`${path}.${e}`]),
    ...extensions.map((e) => join(path, `index.${e}`)),
  ];
  const file = candidates.find(
    (candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile() === true,
  );
  return file && realpathSync(file);
}

function labelOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

function notFound(source: string, reason: string, hint?: string): ToolDefinitionError {
  return new ToolDefinitionError(`Plugin ${JSON.stringify(source)} was not found: ${reason}.`, {
    code: "PLUGIN_NOT_FOUND",
    hint:
      hint ?? "Name a file (.ts, .js, .mjs), a folder with package.json or index.*, or an installed package.",
  });
}
