import type { ActiveExtension } from "../../call/extensions.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import type { Extension, ExtensionFilter } from "../../contract/extension.js";
import { isRecord } from "../../contract/is-record.js";
import { findUnknownKey, suggestKey, type KeysOf } from "../../schema/check-keys.js";
import { toolCategories, type Tool } from "../../contract/tool.js";
import { compileName } from "../../glob/name-glob.js";

/** A copy of an extension, taken when it was added: later changes to the original have no effect. */
export interface CheckedExtension extends ActiveExtension {
  readonly version: string;
  readonly description: string;
  readonly priority: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly onToolRegister?: Extension["onToolRegister"];
  readonly onToolUnregister?: Extension["onToolUnregister"];
  readonly extendTool?: Extension["extendTool"];
}

const hookNames = [
  "onToolRegister",
  "onToolUnregister",
  "onToolExecute",
  "onToolComplete",
  "extendTool",
] as const;

const defaultTimeoutMs = 5000;
const maxTimeoutMs = 2 ** 31 - 1;
const namePattern = /^[\p{L}\p{N}@][\p{L}\p{N}@/._:-]{0,127}$/u;

/** Check an extension; throws an error that names the rule it breaks. */
export function checkExtension(
  given: unknown,
  chosenConfig?: Readonly<Record<string, unknown>>,
): CheckedExtension {
  if (typeof given !== "object" || given === null)
    throw refuse(`An extension must be an object, not ${given === null ? "null" : typeof given}.`);
  const extension = given as Extension;
  const { name, version, description, priority = 0, timeoutMs = defaultTimeoutMs } = extension;
  if (typeof name !== "string" || !namePattern.test(name)) {
    throw refuse("An extension needs a name of letters, digits and . _ - / : @.");
  }
  const invalid = (fault: string): ToolDefinitionError => refuse(`Extension "${name}" ${fault}.`);
  checkMembers(extension, invalid);
  if (typeof version !== "string" || version.trim() === "") throw invalid("has no version");
  if (typeof description !== "string" || description.trim() === "") throw invalid("has no description");
  if (typeof priority !== "number" || !Number.isFinite(priority))
    throw invalid("has an invalid priority (expected a number)");
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0) || timeoutMs > maxTimeoutMs) {
    throw invalid("has an invalid timeoutMs (expected a number above 0)");
  }
  const { onFailure = "continue" } = extension;
  if (onFailure !== "continue" && onFailure !== "refuse") {
    throw invalid('has an invalid onFailure (expected "continue" or "refuse")');
  }
  return {
    name,
    version,
    description,
    priority,
    timeoutMs,
    onFailure,
    config: checkConfig(extension, chosenConfig, invalid),
    fits: createFilter(extension.filter, invalid),
    ...bindHooks(extension, invalid),
  };
}

function checkConfig(
  extension: Extension,
  chosen: unknown,
  invalid: (fault: string) => ToolDefinitionError,
): Readonly<Record<string, unknown>> {
  const config = chosen ?? extension.config ?? {};
  if (!isRecord(config)) throw invalid("has an invalid config (expected an object)");
  return config;
}

const memberNames: KeysOf<Extension> = {
  name: true,
  version: true,
  description: true,
  priority: true,
  filter: true,
  timeoutMs: true,
  onFailure: true,
  config: true,
  onToolRegister: true,
  onToolUnregister: true,
  onToolExecute: true,
  onToolComplete: true,
  extendTool: true,
};

/** A misspelled hook would never be called. An instance of a class may have other members of its own. */
function checkMembers(extension: Extension, invalid: (fault: string) => ToolDefinitionError): void {
  const prototype: unknown = Object.getPrototypeOf(extension);
  if (prototype !== Object.prototype && prototype !== null) return;
  const key = findUnknownKey(extension, memberNames);
  if (key === undefined) return;
  throw invalid(`has the unknown member "${key}". ${suggestKey(key, Object.keys(memberNames))}`.slice(0, -1));
}

function bindHooks(extension: Extension, invalid: (fault: string) => ToolDefinitionError) {
  const entries = hookNames.flatMap((name) => {
    const hook: unknown = extension[name];
    if (hook === undefined) return [];
    if (typeof hook !== "function") throw invalid(`has an invalid ${name} (expected a function)`);
    return [[name, hook.bind(extension) as unknown]];
  });
  if (entries.length === 0) throw invalid(`does nothing: it has none of the hooks ${hookNames.join(", ")}`);
  return Object.fromEntries(entries) as Pick<Extension, (typeof hookNames)[number]>;
}

function createFilter(
  filter: ExtensionFilter | undefined,
  invalid: (fault: string) => ToolDefinitionError,
): (tool: Tool) => boolean {
  if (filter === undefined) return () => true;
  if (typeof filter !== "object" || filter === null)
    throw invalid("has an invalid filter (expected an object)");
  const { names, categories, ...rest } = filter;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw invalid(`has a filter with the unknown key "${unknown}" (expected names or categories)`);
  const globs = toStrings(names, () => invalid("has invalid filter.names (expected a list of names)"));
  const wanted = toStrings(categories, () =>
    invalid("has invalid filter.categories (expected a list of categories)"),
  );
  const wrong = wanted?.find((category) => !(toolCategories as readonly string[]).includes(category));
  if (wrong !== undefined) throw invalid(`has the unknown category "${wrong}" in its filter`);
  const tests = (globs ?? []).map((glob) => compileName(glob).test);
  const known = new WeakMap<Tool, boolean>();
  const fitsFilter = (tool: Tool): boolean =>
    (wanted === undefined || wanted.includes(tool.category)) &&
    (globs === undefined ||
      [tool.name, ...(tool.aliases ?? [])].some((name) => tests.some((test) => test(name))));
  return (tool) => {
    const verdict = known.get(tool) ?? fitsFilter(tool);
    known.set(tool, verdict);
    return verdict;
  };
}

function toStrings(list: unknown, fault: () => ToolDefinitionError): readonly string[] | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.some((item) => typeof item !== "string" || item === "")) throw fault();
  return [...(list as string[])];
}

function refuse(message: string): ToolDefinitionError {
  return new ToolDefinitionError(message, {
    code: "EXTENSION_INVALID",
    hint: "An extension is { name, version, description } with at least one of the hooks.",
  });
}
