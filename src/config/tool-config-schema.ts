import * as z from "zod";
import { once } from "../schema/once.js";
import { logLevels, securityLevels } from "./levels.js";
import { outputTokens } from "./output-schema.js";
import { atLeastOne, count, milliseconds, paths, text } from "./shared-schemas.js";

const concurrency = once(() =>
  z.strictObject({
    isConcurrencySafe: z
      .boolean()
      .optional()
      .describe("`false`: its calls run one after the other. @default the tool's own"),
    maxConcurrentCalls: atLeastOne()
      .optional()
      .describe("Its calls at the same time. @default the tool's own"),
    queueSize: count().optional().describe("Its calls that may wait. @default tools.maxQueued"),
  }),
);

const permissions = once(() =>
  z.strictObject({
    allowedPaths: paths().optional().describe("The only paths it may touch. @default all that are allowed"),
    forbiddenPaths: paths()
      .optional()
      .describe("Paths it may not touch, besides the general ones. @default []"),
    requiredCapabilities: z
      .array(text())
      .max(1000)
      .optional()
      .describe("Capabilities an agent needs for it, besides the tool's own. @default []"),
    securityLevel: z
      .enum(securityLevels)
      .optional()
      .describe("How harmful it counts as, against the general cap. @default the tool's own"),
  }),
);

const monitoring = once(() =>
  z.strictObject({
    enableMetrics: z.boolean().optional().describe("Count and time its calls. @default true"),
    enableTracing: z.boolean().optional().describe("Spans for its calls. @default true"),
    logLevel: z.enum(logLevels).optional().describe("Least level it logs at. @default logLevel"),
  }),
);

/** The settings of one tool. */
export const toolConfigSchema = once(() =>
  z.strictObject({
    enabled: z.boolean().optional().describe("`false` takes the tool away. @default true"),
    priority: z
      .number()
      .int()
      .min(-1000)
      .max(1000)
      .optional()
      .describe("Higher runs first among calls that are ready. @default the tool's own"),
    timeout: milliseconds().optional().describe("Its time limit in ms. @default the tool's own"),
    retryAttempts: z
      .number()
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe("Tries after the first one. @default the tool's own"),
    maxTokens: outputTokens()
      .optional()
      .describe("Estimated tokens of text for the model of one call. @default tools.output.maxTokens"),
    concurrency: concurrency().optional().describe("How many of its calls run and wait."),
    permissions: permissions().optional().describe("What it may touch and who may call it."),
    monitoring: monitoring().optional().describe("What is measured and logged of it."),
    custom: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Handed to the tool as ctx.settings. @default {}"),
  }),
);

/** The settings of one tool, as written in a configuration. */
export type ToolConfiguration = z.output<ReturnType<typeof toolConfigSchema>>;

/** The search that `web_search` uses. */
export const webSearchSchema = once(() =>
  z.strictObject({
    provider: z
      .enum(["tavily", "google", "bing", "duckduckgo", "brave", "searxng"])
      .optional()
      .describe('Who answers. @default "tavily"'),
    apiKey: z.string().max(4096).optional().describe("Best as ${NAME}. @default none"),
    maxResults: z.number().int().min(1).max(100).optional().describe("Results a search. @default 10"),
    url: z
      .string()
      .max(4096)
      .regex(/^https?:\/\/\S+$/i, "expected an http:// or https:// address")
      .optional()
      .describe("Address of your own instance (searxng). @default the provider's"),
    engineId: text().optional().describe("Id of the search engine (google). @default none"),
  }),
);
