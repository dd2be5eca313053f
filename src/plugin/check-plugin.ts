import type { PluginDefinition } from "../contract/plugin.js";
import type { Tool } from "../contract/tool.js";
import type { Validator } from "../schema/checked.js";
import { nearest } from "../schema/nearest.js";
import { describeValue, pluginError } from "./plugin-error.js";
import { isThenable } from "../contract/is-thenable.js";

/** A tool of a plugin, in the one shape and with its schemas compiled. */
export interface CheckedTool {
  readonly tool: Tool;
  readonly input: Validator;
  readonly output: Validator | undefined;
}

export interface CheckedPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly tools: readonly CheckedTool[];
  readonly extensions: readonly Readonly<Record<string, unknown>>[];
  readonly setup: PluginDefinition["setup"];
}

/** Bring a tool into the one shape and check it, or throw a ToolDefinitionError. */
export type AcceptTool = (like: unknown) => CheckedTool;

const keys = ["name", "version", "description", "tools", "extensions", "setup"];

/** Check what a plugin's main file exports; every rule that it breaks is named in one error. */
export function checkPlugin(exported: unknown, label: string, accept: AcceptTool): CheckedPlugin {
  const plugin = findExport(exported, label);
  const faults: string[] = [];
  checkKeys(plugin, faults);
  checkIdentity(plugin, faults);
  const tools = checkTools(plugin["tools"], accept, faults);
  const extensions = checkExtensions(plugin["extensions"], faults);
  if (tools.length === 0 && extensions.length === 0 && faults.length === 0) {
    faults.push("it has neither tools nor extensions");
  }
  const { setup } = plugin;
  if (setup !== undefined && typeof setup !== "function") {
    faults.push(`"setup" must be a function, found ${describeValue(setup)}`);
  }
  if (faults.length > 0)
    throw pluginError(typeof plugin["name"] === "string" ? plugin["name"] : label, faults);
  return {
    name: plugin["name"] as string,
    version: plugin["version"] as string,
    description: plugin["description"] as string | undefined,
    tools,
    extensions,
    // Bound, so that a class instance can be a plugin.
    setup: setup === undefined ? undefined : ((setup as Function).bind(plugin) as PluginDefinition["setup"]),
  };
}

function checkKeys(plugin: Readonly<Record<string, unknown>>, faults: string[]): void {
  for (const key of Object.keys(plugin)) {
    if (keys.includes(key) || key.startsWith("_")) continue;
    const meant = nearest(key, keys);
    faults.push(
      `it has the unknown key "${key}"${meant === undefined ? `; known are ${keys.join(", ")}` : `; did you mean "${meant}"?`}`,
    );
  }
}

const nameForm = /^(?:@[a-z0-9][a-z0-9-]*\/)?[a-z0-9][a-z0-9._-]{0,63}$/;
const versionForm = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

export function checkIdentity(plugin: Readonly<Record<string, unknown>>, faults: string[]): void {
  const { name, version, description } = plugin;
  if (typeof name !== "string" || !nameForm.test(name)) {
    faults.push(
      `"name" must be lowercase letters, digits, hyphens, dots or underscores ("my-plugin"), found ${describeValue(name)}`,
    );
  }
  if (typeof version !== "string" || !versionForm.test(version)) {
    faults.push(`"version" must be semver ("1.2.3"), found ${describeValue(version)}`);
  }
  if (description !== undefined && typeof description !== "string") {
    faults.push(`"description" must be a text, found ${describeValue(description)}`);
  }
}

function checkTools(value: unknown, accept: AcceptTool, faults: string[]): CheckedTool[] {
  if (!Array.isArray(value)) {
    faults.push(`"tools" must be a list of tools, found ${describeValue(value)}`);
    return [];
  }
  const owners = new Map<string, string>();
  return value.flatMap((like: unknown, at) => {
    const place = `tools[${at}]`;
    const checked = tryAccept(like, place, { accept, faults });
    if (checked === undefined) return [];
    for (const name of [checked.tool.name, ...(checked.tool.aliases ?? [])]) {
      const owner = owners.get(name.toLowerCase());
      if (owner !== undefined) faults.push(`${place} has the name "${name}", which ${owner} has already`);
      owners.set(name.toLowerCase(), place);
    }
    return [checked];
  });
}

function tryAccept(
  like: unknown,
  place: string,
  { accept, faults }: { readonly accept: AcceptTool; readonly faults: string[] },
): CheckedTool | undefined {
  if (like instanceof Promise) {
    faults.push(`${place} is a promise; await it before the plugin is exported`);
    return undefined;
  }
  if (typeof like !== "object" || like === null) {
    faults.push(`${place} must be a tool made with defineTool, found ${describeValue(like)}`);
    return undefined;
  }
  try {
    return accept(like);
  } catch (error) {
    const { message, hint } = error as { message?: unknown; hint?: unknown };
    faults.push(`${place}: ${String(message)}${typeof hint === "string" ? ` (${hint})` : ""}`);
    return undefined;
  }
}

function checkExtensions(value: unknown, faults: string[]): Readonly<Record<string, unknown>>[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    faults.push(`"extensions" must be a list, found ${describeValue(value)}`);
    return [];
  }
  return value.flatMap((extension: unknown, at) => {
    const members = Object(extension) as Readonly<Record<string, unknown>>;
    if (members === extension && typeof members["name"] === "string" && members["name"] !== "")
      return [members];
    faults.push(`extensions[${at}] must be an object with a name, found ${describeValue(extension)}`);
    return [];
  });
}

/**
 * The plugin that a module exports: its default export, else the module itself (`export const name`, `version`,
 * `tools`), else the one export that is a plugin; or an error that says what was found instead.
 */
function findExport(exported: unknown, label: string): Readonly<Record<string, unknown>> {
  const own = unwrap(exported);
  const value = own === undefined ? namedPlugin(exported) : own;
  if (value === undefined) throw pluginError(label, [missing(exported)]);
  if (isThenable(value)) {
    value.then(undefined, () => undefined);
    throw pluginError(label, ["its default export is a promise; write `export default await …`"]);
  }
  if (typeof value === "function") {
    throw pluginError(label, ["its default export is a function; export what definePlugin returns"]);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw pluginError(label, [`its default export must be a plugin, found ${describeValue(value)}`]);
  }
  return value as Readonly<Record<string, unknown>>;
}

/** A plugin without a default export. */
function namedPlugin(exported: unknown): unknown {
  if (typeof exported !== "object" || exported === null) return undefined;
  const entries = Object.entries(exported).filter(
    ([name]) => name !== "default" && name !== "module.exports",
  );
  if (entries.length === 0) return undefined;
  const module = Object.fromEntries(entries);
  if (typeof module["name"] === "string" && looksLikePlugin(module)) return module;
  const plugins = entries.filter(([, value]) => looksLikePlugin(value));
  return plugins.length === 1 ? plugins[0]?.[1] : undefined;
}

/** CommonJS seen from ESM has its exports under `default`, sometimes twice. */
function unwrap(exported: unknown): unknown {
  if (typeof exported !== "object" || exported === null || !("default" in exported)) return undefined;
  const { default: outer } = exported;
  const wrapped = typeof outer === "object" && outer !== null && "__esModule" in outer && "default" in outer;
  if (wrapped) return outer.default;
  // `module.exports = {}` of a file that exports nothing at all.
  const empty = typeof outer === "object" && outer !== null && Object.keys(outer).length === 0;
  return empty && Object.getPrototypeOf(outer) === Object.prototype ? undefined : outer;
}

function missing(exported: unknown): string {
  const names = Object.keys(Object(exported)).filter(
    (name) => name !== "default" && name !== "module.exports",
  );
  if (names.length === 0) return "its main file exports nothing; write `export default definePlugin({ … })`";
  const plugins = names.filter((name) => looksLikePlugin((exported as Record<string, unknown>)[name]));
  const advice =
    plugins.length === 0
      ? "write `export default definePlugin({ … })`"
      : `several of them are plugins: write \`export default ${plugins[0]}\``;
  return `its main file has no default export, only ${names.slice(0, 8).join(", ")}; ${advice}`;
}

function looksLikePlugin(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("tools" in value || "extensions" in value);
}
