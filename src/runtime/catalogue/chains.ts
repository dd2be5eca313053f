import type { ChainConfig } from "../../config/chain-schema.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { ChainDefinition } from "../../compose/chain-types.js";
import { defineChain } from "../../compose/define-chain.js";
import type { SchemaSource } from "../../contract/schema-source.js";
import type { Tool } from "../../contract/tool.js";

/** The chains that the configuration defines, as tools. */
export function chainTools(chains: ResolvedConfig["chains"]): readonly Tool[] {
  return Object.entries(chains).map(([name, chain]) => toTool(name, chain as ChainConfig));
}

function toTool(name: string, chain: ChainConfig): Tool {
  const { description, category, input, readOnly, steps, result } = chain;
  const definition: ChainDefinition = {
    name,
    description,
    input: (input ?? noInput) as SchemaSource,
    ...(category !== undefined && { category }),
    ...(readOnly !== undefined && { annotations: { readOnly } }),
    steps: steps,
    ...(result !== undefined && { result: result }),
  };
  return defineChain(definition);
}

const noInput = { type: "object", properties: {}, additionalProperties: false };
