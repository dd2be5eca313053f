import { ToolDefinitionError } from "../contract/errors.js";

/** A short description of any value, safe to print. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** One error that lists everything that is wrong with a plugin. */
export function pluginError(label: string, faults: readonly string[], cause?: unknown): ToolDefinitionError {
  const list = faults.length === 1 ? ` ${faults[0]}.` : `\n${faults.map((fault) => `- ${fault}`).join("\n")}`;
  return new ToolDefinitionError(`Plugin "${label}" cannot be loaded:${list}`, {
    code: "PLUGIN_INVALID",
    hint: 'A plugin is `export default definePlugin({ name, version, tools: [defineTool({ … })] })`; "tenon plugins create" writes one.',
    details: { plugin: label, faults },
    ...(cause !== undefined && { cause }),
  });
}
