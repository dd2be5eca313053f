import { basename } from "node:path";
import { takePlain } from "../schema/take-plain.js";
import { checkConfig } from "./check-config.js";
import { ConfigError, printable, showPath, type ConfigProblem } from "./config-error.js";
import type { TenonConfig } from "./config-schema.js";
import { hasReference, interpolate, unescapeReferences, type Environment } from "./interpolate.js";
import { parseJson } from "./parse-json.js";
import { parseYaml } from "./parse-yaml.js";
import { type ConfigFile, readConfigFile } from "./read-file.js";
import { pathKey, positionsIn, type ParsedText, type TextPosition } from "./source.js";
import { realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** The checked contents of one source. */
export interface LoadedSource {
  readonly config: TenonConfig;
  /** Keys left out because they refer to variables that the file may not see. */
  readonly held: readonly string[];
  /** Where a key stands, if the source is text. */
  readonly positionOf: (path: readonly PropertyKey[]) => TextPosition | undefined;
}

/** Understand a file: parse it, fill in variables, check it. `env: undefined` means it is not trusted. */
export async function loadSource(source: ConfigFile, env: Environment | undefined): Promise<LoadedSource> {
  const parsed = await parseSource(source);
  const place = positionsIn(source.text);
  const positionOf = (path: readonly PropertyKey[]): TextPosition | undefined => {
    const offset = offsetOf(parsed, path);
    return offset === undefined ? undefined : place(offset);
  };
  if (parsed.faults.length > 0) {
    throw new ConfigError(
      parsed.faults.map(({ offset, path, message }) => ({
        file: source.file,
        ...(offset >= 0 && place(offset)),
        path: showPath(path),
        message,
      })),
    );
  }
  const filled = fillVariables(parsed.value, env);
  const problems: ConfigProblem[] = [...filled.faults, ...faultsOf(filled)].map((fault) => ({
    ...fault,
    file: source.file,
    ...positionOf(fault.path),
    path: showPath(fault.path),
  }));
  if (problems.length > 0) throw new ConfigError(problems);
  const named = nameRules(filled.value as TenonConfig, source.file, positionOf);
  const config = without(named, filled.held) as TenonConfig;
  return { config, held: filled.held.map((path) => showPath(path)), positionOf };
}

/** Check an object that came from no file, such as the command line or a caller's options. */
export function checkObject(value: unknown, name: string): TenonConfig {
  const plain = takePlain(value);
  const faults = plain.ok ? checkConfig(plain.value) : plain.issues;
  if (plain.ok && faults.length === 0) return plain.value as TenonConfig;
  throw new ConfigError(
    faults.map((fault) => ({
      ...fault,
      file: name,
      path: typeof fault.path === "string" ? printable(fault.path) : showPath(fault.path),
      message: printable(fault.message, 1000),
    })),
  );
}

async function parseSource(source: ConfigFile): Promise<ParsedText> {
  if (source.format === "json") return parseJson(source.text);
  if (source.format === "yaml") return parseYaml(source.text);
  const plain = takePlain(await loadCode(source));
  if (plain.ok) return { value: plain.value, faults: [], offsets: new Map() };
  const [issue] = plain.issues;
  const message = `its default export cannot be used: ${printable(issue?.message ?? "", 1000)}`;
  return { value: undefined, faults: [{ offset: -1, path: [], message }], offsets: new Map() };
}

/** The key where there is one, else the value, else the nearest thing around it. */
function offsetOf({ offsets }: ParsedText, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const found = offsets.get(pathKey(path.slice(0, length)));
    if (found !== undefined) return found.key ?? found.value;
  }
  return undefined;
}

interface Filled {
  readonly value: unknown;
  readonly faults: { readonly path: readonly PropertyKey[]; readonly message: string }[];
  readonly held: (readonly PropertyKey[])[];
  /** Texts that variables are part of. */
  readonly filledIn: (readonly PropertyKey[])[];
}

function fillVariables(value: unknown, env: Environment | undefined): Filled {
  const filled: Filled = { value: undefined, faults: [], held: [], filledIn: [] };
  return { ...filled, value: fill(value, [], { env, filled }) };
}

function fill(
  value: unknown,
  path: readonly PropertyKey[],
  to: { readonly env: Environment | undefined; readonly filled: Filled },
): unknown {
  if (typeof value === "string") {
    if (to.env !== undefined) {
      const result = interpolate(value, to.env);
      if (result.ok && result.variables.length > 0) to.filled.filledIn.push(path);
      if (result.ok && (!hasSecret(result.variables) || takesSecrets(path))) return result.text;
      to.filled.faults.push({ path, message: result.ok ? secretElsewhere : result.message });
      return value;
    }
    if (!hasReference(value)) return unescapeReferences(value);
    to.filled.held.push(path);
    return value;
  }
  if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, index], to));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fill(item, [...path, key], to)]),
  );
}

function hasSecret(variables: readonly string[]): boolean {
  return variables.some((name) => name.startsWith("secret:"));
}

/** Arguments and addresses are seen by other processes and in lists. */
function takesSecrets(path: readonly PropertyKey[]): boolean {
  const [name, , part] = path[0] === "tools" ? path.slice(1) : path;
  return name === "mcpServers" && (part === "env" || part === "headers");
}

const secretElsewhere = "${secret:NAME} can be used only in env and headers of an MCP server";

/** What the schema says, but not about texts whose variables are missing or withheld. */
function faultsOf(filled: Filled): ReturnType<typeof checkConfig> {
  const unknown = new Set([...filled.held, ...filled.faults.map((fault) => fault.path)].map(pathKey));
  const hidden = new Set(filled.filledIn.map(pathKey));
  const faults = checkConfig(filled.value, (path) => hidden.has(pathKey(path)));
  return faults.filter((fault) => !unknown.has(pathKey(fault.path)));
}

/** A rule without a name is called by where it stands, so that a decision leads back to it. */
function nameRules(config: TenonConfig, file: string, positionOf: LoadedSource["positionOf"]): TenonConfig {
  const rules = config.policy?.rules?.map((rule, index) => {
    const place = positionOf(["policy", "rules", index]);
    const where = place === undefined ? `#${index + 1}` : `:${place.line}:${place.column}`;
    return { ...rule, id: rule.id ?? `${basename(file)}${where}` };
  });
  return rules === undefined ? config : { ...config, policy: { rules } };
}

/** Drop each held text; inside a list, the whole entry: half a rule would mean something else. */
function without(value: unknown, held: readonly (readonly PropertyKey[])[]): unknown {
  if (held.length === 0) return value;
  const dropped = new Set(
    held.map((path) => {
      const index = path.findIndex((part) => typeof part === "number");
      return pathKey(index === -1 ? path : path.slice(0, index + 1));
    }),
  );
  return prune(value, [], dropped);
}

function prune(value: unknown, path: readonly PropertyKey[], dropped: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      dropped.has(pathKey([...path, index])) ? [] : [prune(item, [...path, index], dropped)],
    );
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !dropped.has(pathKey([...path, key])))
      .map(([key, item]) => [key, prune(item, [...path, key], dropped)]),
  );
}

/** Run a configuration written in code and take its default export. Only for files that are trusted. */
async function loadCode(source: ConfigFile): Promise<unknown> {
  let exported: unknown;
  try {
    exported = source.format === "ts" ? await runTypeScript(source) : await runModule(source);
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    const message = `it failed to run: ${printable(reason.trimEnd(), 1000)}`;
    throw new ConfigError([{ file: source.file, ...failedAt(error, source.file), path: "", message }], {
      cause: error,
    });
  }
  await refuseIfChanged(source);
  return defaultOf(exported);
}

/** Where in the file an error came from, by its stack; that of an error of syntax begins with its message. */
function failedAt(error: unknown, file: string): TextPosition | undefined {
  const stack = error instanceof Error ? String(error.stack) : "";
  for (const line of stack.split("\n")) {
    const [, before = "", row, column] = /^(.*?)(?:\?digest=[^:]*)?:(\d+):(\d+)\)?$/.exec(line) ?? [];
    if (before.endsWith(file) || before.endsWith(pathToFileURL(file).href))
      return { line: Number(row), column: Number(column) };
  }
  return undefined;
}

/** The very text whose digest was judged is run; caches on the disk would be a way around it. */
async function runTypeScript(source: ConfigFile): Promise<unknown> {
  // A folder of configuration has no packages of its own: `tenon` is the one that reads it.
  const [{ createJiti }, tenon] = await Promise.all([import("jiti"), import("../index.js")]);
  const jiti = createJiti(source.file, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules: { tenon },
  });
  return jiti.evalModule(source.text, { filename: source.file, async: true, forceTranspile: true });
}

/** Modules cannot be unloaded: the digest in the address makes a changed file another module. */
async function runModule(source: ConfigFile): Promise<unknown> {
  const address = `${pathToFileURL(source.file).href}?digest=${source.digest}`;
  // CommonJS has a cache of its own, by file name.
  delete createRequire(import.meta.url).cache[await realpath(source.file)];
  try {
    return await import(/* @vite-ignore */ address);
  } catch (error) {
    // Whether .js is ESM hangs on a package.json that a workspace may not have; nothing ran yet.
    if (error instanceof SyntaxError && source.file.endsWith(".js")) return runTypeScript(source);
    const missing = missingTenon(error);
    if (missing === "import") return runTypeScript(source);
    if (missing === "require") return { default: await runTypeScript(source) };
    throw error;
  }
}

/** How a file failed to get `tenon`, if that is why it failed. */
function missingTenon(error: unknown): "import" | "require" | undefined {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (!/Cannot find (?:package|module) 'tenon'/.test(String(message))) return undefined;
  if (code === "ERR_MODULE_NOT_FOUND") return "import";
  return code === "MODULE_NOT_FOUND" ? "require" : undefined;
}

async function refuseIfChanged(source: ConfigFile): Promise<void> {
  const now = await readConfigFile(source.file);
  if (now.digest === source.digest) return;
  throw new ConfigError([
    { file: source.file, path: "", message: "it changed while it was being read; try again" },
  ]);
}

/** CommonJS seen from ESM has its exports under `default`, sometimes twice. */
function defaultOf(exported: unknown): unknown {
  if (typeof exported !== "object" || exported === null || !("default" in exported)) return undefined;
  const { default: outer } = exported;
  if (typeof outer === "object" && outer !== null && "__esModule" in outer && "default" in outer) {
    return outer.default;
  }
  return outer;
}
