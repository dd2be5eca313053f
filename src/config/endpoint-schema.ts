import * as z from "zod";
import { once } from "../contract/once.js";
import { callLimits, ruleSchema } from "./rule-schema.js";
import { workspaceSourceSchema } from "./fleet-schema.js";
import { nameGlob, text } from "./shared-schemas.js";

/** A rule that says of which endpoint it is by where it stands. */
const endpointRuleSchema = once(() => ruleSchema().omit({ endpoint: true }));

/** MCP endpoints below `/mcp/`, by name. */
export const endpointsSchema = once(() =>
  z.record(
    z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "expected 1 to 64 lower-case letters, digits or . _ -"),
    z.strictObject({
      toolset: text().optional().describe("Toolset of the hosts that connect here. @default toolset"),
      servers: z
        .array(text())
        .max(1000)
        .optional()
        .describe("MCP servers whose tools, resources and prompts are offered. @default all"),
      prompts: z
        .array(nameGlob())
        .max(1000)
        .optional()
        .describe("Prompts that are offered (globs). @default all"),
      native: z
        .array(z.enum(["anthropic", "openai"]))
        .max(2)
        .optional()
        .describe("Providers of tools.native whose tools are offered. @default all of tools.native"),
      listing: z
        .enum(["all", "compact", "search"])
        .optional()
        .describe("How tools are listed to hosts. @default tools.listing"),
      policy: z
        .array(endpointRuleSchema())
        .max(1000)
        .optional()
        .describe("Rules for calls that come through this endpoint, before all others. @default none"),
      limits: z
        .strictObject(callLimits())
        .optional()
        .describe("How many calls all hosts together may make here. @default no limit"),
      priority: z
        .enum(["high", "normal", "low"])
        .optional()
        .describe("In a fleet: whose calls a busy worker takes first. @default normal"),
      workspace: workspaceSourceSchema()
        .optional()
        .describe("In a fleet: the workspace of the hosts that connect here. @default fleet.workspace"),
    }),
  ),
);
