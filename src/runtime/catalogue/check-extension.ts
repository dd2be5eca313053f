import type { ActiveExtension } from "../../call/extensions.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import type { Extension, ExtensionFilter } from "../../contract/extension.js";
import { toolCategories, type Tool } from "../../contract/tool.js";
import { matchesGlob } from "../../registry/glob.js";

/** An extension as it was when it was taken in; what its author changes later changes nothing. */
export interface CheckedExtension extends ActiveExtension {
  readonly version: string;
  readonly description: string;
  readonly priority: number;
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

/** Refuse what is no extension, with an error that says which rule it breaks. */
export function checkExtension(given: unknown): CheckedExtension {
  if (typeof given !== "object" || given === null)
    throw refuse(`An extension must be an object, not ${given === null ? "null" : typeof given}.`);
  const extension = given as Extension;
  const { name, version, description, priority = 0, timeoutMs = defaultTimeoutMs } = extension;
  if (typeof name !== "string" || !namePattern.test(name)) {
    throw refuse("An extension needs a name of letters, digits and . _ - / : @.");
  }
  const own = (fault: string): ToolDefinitionError => refuse(`Extension "${name}" ${fault}.`);
  if (typeof version !== "string" || version.trim() === "") throw own("has no version");
  if (typeof description !== "string" || description.trim() === "") throw own("has no description");
  if (typeof priority !== "number" || !Number.isFinite(priority))
    throw own("has a priority that is no number");
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0) || timeoutMs > maxTimeoutMs) {
    throw own("has a timeoutMs that is no number above 0");
  }
  const { onFailure = "continue" } = extension;
  if (onFailure !== "continue" && onFailure !== "refuse") {
    throw own('has an onFailure that is neither "continue" nor "refuse"');
  }
  return {
    name,
    version,
    description,
    priority,
    timeoutMs,
    onFailure,
    fits: createFilter(extension.filter, own),
    ...boundHooks(extension, own),
  };
}

function boundHooks(extension: Extension, own: (fault: string) => ToolDefinitionError) {
  const entries = hookNames.flatMap((name) => {
    const hook: unknown = extension[name];
    if (hook === undefined) return [];
    if (typeof hook !== "function") throw own(`has an ${name} that is no function`);
    return [[name, hook.bind(extension) as unknown]];
  });
  if (entries.length === 0) throw own(`does nothing: it has none of ${hookNames.join(", ")}`);
  return Object.fromEntries(entries) as Pick<Extension, (typeof hookNames)[number]>;
}

function createFilter(
  filter: ExtensionFilter | undefined,
  own: (fault: string) => ToolDefinitionError,
): (tool: Tool) => boolean {
  if (filter === undefined) return () => true;
  if (typeof filter !== "object" || filter === null) throw own("has a filter that is no object");
  const { names, categories, ...rest } = filter;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw own(`has a filter with the unknown key "${unknown}"; there are names and categories`);
  const globs = toWords(names, () => own("has filter.names that are no list of names"));
  const wanted = toWords(categories, () => own("has filter.categories that are no list of categories"));
  const wrong = wanted?.find((category) => !(toolCategories as readonly string[]).includes(category));
  if (wrong !== undefined) throw own(`has the unknown category "${wrong}" in its filter`);
  const known = new WeakMap<Tool, boolean>();
  const judge = (tool: Tool): boolean =>
    (wanted === undefined || wanted.includes(tool.category)) &&
    (globs === undefined ||
      [tool.name, ...(tool.aliases ?? [])].some((name) => globs.some((glob) => matchesGlob(glob, name))));
  return (tool) => {
    const verdict = known.get(tool) ?? judge(tool);
    known.set(tool, verdict);
    return verdict;
  };
}

function toWords(list: unknown, fault: () => ToolDefinitionError): readonly string[] | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.some((word) => typeof word !== "string" || word === "")) throw fault();
  return [...(list as string[])];
}

function refuse(message: string): ToolDefinitionError {
  return new ToolDefinitionError(message, {
    code: "EXTENSION_INVALID",
    hint: "An extension is { name, version, description } with at least one of the hooks.",
  });
}
