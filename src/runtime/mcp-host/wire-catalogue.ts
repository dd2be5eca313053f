import type { HostTool } from "../../contract/host.js";
import type { JsonSchema } from "../../contract/json.js";
import type { McpToolDefinition, ToolDescription } from "../../contract/tool.js";
import { toLegalName } from "../../llm/legal-name.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";

export interface WireTool {
  readonly trueName: string;
  readonly tool: HostTool;
  /** Whether the listed output schema wraps the tool's own. */
  readonly wrapped: boolean;
  /** The server's definition that it was made from. */
  readonly source: McpToolDefinition | undefined;
}

/** Wire names for all tools of a registry; the same in all sessions. */
export interface WireCatalogue {
  of(trueName: string): WireTool | undefined;
  /** The tool of a wire name. */
  behind(wireName: string): WireTool | undefined;
}

/** Create the catalogue; it follows the registry. */
export function createWireCatalogue(registry: ToolRegistry): WireCatalogue {
  let generation = -1;
  let byTrueName = new Map<string, WireTool>();
  let byWireName = new Map<string, WireTool>();
  const refresh = (): void => {
    if (generation === registry.generation) return;
    generation = registry.generation;
    const old = byTrueName;
    byTrueName = new Map();
    byWireName = new Map();
    // Sorted by name, so that which tool gets the plain name does not depend on the order of registration.
    const tools = registry
      .list({ includeDisabled: true })
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    const taken = new Set<string>();
    for (const { name } of tools) {
      const description = registry.describe(name);
      if (description === undefined) continue;
      const wireName = toLegalName(description.name, taken);
      taken.add(wireName);
      const kept = old.get(description.name);
      const wire =
        kept?.tool.name === wireName && sameTool(kept, description) ? kept : toWire(wireName, description);
      byTrueName.set(description.name, wire);
      byWireName.set(wireName, wire);
    }
  };
  return {
    of(trueName) {
      refresh();
      return byTrueName.get(trueName);
    },
    behind(wireName) {
      refresh();
      return byWireName.get(wireName);
    },
  };
}

function sameTool({ tool, source }: WireTool, description: ToolDescription): boolean {
  if (source !== undefined || description.definition !== undefined) return source === description.definition;
  return tool.inputSchema === description.inputSchema && tool.description === description.description;
}

function toWire(name: string, description: ToolDescription): WireTool {
  const { definition } = description;
  const inputSchema = definition?.inputSchema ?? description.inputSchema;
  const own = description.outputSchema;
  const wrapped = isWrapped(description);
  const outputSchema = own === undefined ? undefined : wrapped ? wrapSchema(own) : own;
  const { _meta, ...said } = definition === undefined ? ownWords(description) : serverWords(definition);
  return {
    trueName: description.name,
    wrapped,
    source: definition,
    tool: {
      name,
      ...said,
      inputSchema: inputSchema["type"] === "object" ? inputSchema : { ...inputSchema, type: "object" },
      ...(outputSchema !== undefined && { outputSchema }),
      _meta: {
        ..._meta,
        "tenon/name": description.name,
        "tenon/version": description.version,
        "tenon/category": description.category,
      },
    },
  };
}

/** Structured results are objects for MCP hosts: another value is wrapped in one. */
export function isWrapped({ outputSchema }: Pick<ToolDescription, "outputSchema">): boolean {
  return outputSchema !== undefined && outputSchema["type"] !== "object";
}

type Words = Pick<HostTool, "title" | "description" | "annotations" | "icons" | "_meta">;

function ownWords({ annotations, description }: ToolDescription): Words {
  const title = annotations.title === undefined ? {} : { title: annotations.title };
  return {
    ...title,
    description,
    annotations: {
      ...title,
      readOnlyHint: annotations.readOnly === true,
      destructiveHint: annotations.dangerous === true,
      idempotentHint: annotations.idempotent === true,
      openWorldHint: annotations.openWorld === true,
    },
  };
}

/** Exactly what the tool's own server said. */
function serverWords({ title, description, annotations, icons, meta, more }: McpToolDefinition): Words {
  return {
    ...more,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

/** MCP requires an object: other results become `{ result }`; definitions move up, because references start at the root. */
function wrapSchema(schema: JsonSchema): JsonSchema | undefined {
  if (JSON.stringify(schema).includes('"$ref":"#"')) return undefined;
  const { $schema, $defs, definitions, ...result } = schema;
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: { result },
    required: ["result"],
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
}
