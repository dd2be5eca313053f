import * as z from "zod";
import { once } from "../schema/once.js";
import { chainsSchema } from "./chain-schema.js";
import { approvalChannels } from "../contract/ports/approval.js";
import { toolCategories } from "../contract/tool.js";
import { logLevels, modes, optimiserModes, securityLevels } from "./levels.js";
import { quotaSchema, ruleSchema } from "./rule-schema.js";
import { stateSchema } from "./state-schema.js";
import { sandboxSchema } from "./sandbox-schema.js";
import { serverListSchema, serversSchema } from "./server-schema.js";
import { atLeastOne, bytes, count, glob, milliseconds, paths, text } from "./shared-schemas.js";
import { cacheSchema, loopGuardSchema, outputSchema } from "./output-schema.js";
import { pluginSchema } from "./plugin-schema.js";
import { loggingSchema, telemetrySchema } from "./telemetry-schema.js";
import { toolConfigSchema, webSearchSchema } from "./tool-config-schema.js";

const capabilityList = once(() => z.array(text()).max(1000));

const files = once(() =>
  z.strictObject({
    allowedPaths: paths().optional().describe("Paths outside the workspace that may be used. @default []"),
    forbiddenPaths: paths().optional().describe("Paths that may not be touched. @default []"),
    protectedPaths: paths()
      .optional()
      .describe("Paths that may be read but not changed, besides the built-in ones. @default []"),
    maxFileSize: bytes().optional().describe("Largest file in bytes. @default 104857600 (100 MiB)"),
    strict: z
      .strictObject({
        noParent: z.boolean().optional().describe("No `..` at all. @default false"),
        noSymlinks: z.boolean().optional().describe("No symbolic link at all. @default false"),
        noAbsolute: z.boolean().optional().describe("No absolute paths. @default false"),
      })
      .optional()
      .describe("Harder rules for paths."),
  }),
);

const network = once(() =>
  z.strictObject({
    allowHosts: z
      .array(glob())
      .max(10_000)
      .optional()
      .describe("Hosts that may be reached though their addresses are private. @default []"),
    allowPrivate: z.boolean().optional().describe("Reach private and loopback addresses. @default false"),
    maxBytes: bytes().optional().describe("Largest answer in bytes, decoded. @default 10485760 (10 MiB)"),
    timeoutMs: milliseconds().optional().describe("Time limit of one request. @default 60000"),
  }),
);

const tools = once(() =>
  z.strictObject({
    enabled: z.array(glob()).max(10_000).optional().describe("Only these tools (globs). @default all"),
    workspaceDir: text().optional().describe("Another place for workspaceDir."),
    timeout: milliseconds()
      .optional()
      .describe("Time limit in ms of tools that name none of their own. @default 30000"),
    maxConcurrent: atLeastOne().optional().describe("Calls at the same time. @default 10"),
    maxQueued: count().optional().describe("Calls that may wait. @default 1000"),
    allowedPaths: paths().optional().describe("Another place for files.allowedPaths."),
    forbiddenPaths: paths().optional().describe("Another place for files.forbiddenPaths."),
    maxFileSize: bytes().optional().describe("Another place for files.maxFileSize."),
    allowedCommands: z
      .array(text())
      .max(1000)
      .optional()
      .describe("The only commands that a shell line may run, by their first word. @default any"),
    webSearch: webSearchSchema().optional().describe("The search behind web_search. @default none"),
    mcpServers: serverListSchema().optional().describe("MCP servers as a list. @default []"),
    perTool: z.record(text(), toolConfigSchema()).optional().describe("Settings by tool name. @default {}"),
    cache: cacheSchema().optional().describe("How answers of read-only cacheable tools are kept."),
    output: outputSchema().optional().describe("How much text the model is given."),
    loopGuard: loopGuardSchema().optional().describe("What is done about a call that fails again and again."),
    listing: z
      .enum(["all", "search"])
      .optional()
      .describe(
        'What MCP hosts are shown: all tools, or only those that find, describe and call the others. @default "all"',
      ),
    quotas: z.array(quotaSchema()).max(1000).optional().describe("How many calls may be made. @default []"),
  }),
);

const toolset = once(() =>
  z
    .array(
      z.union([
        glob(),
        z
          .strictObject({
            category: z.enum(toolCategories).optional().describe("All tools of a category."),
            readOnly: z.literal(true).optional().describe("All tools that change nothing."),
            name: glob().optional().describe("All tools whose names fit the glob."),
          })
          .refine((by) => Object.keys(by).length > 0, "expected category, readOnly or name"),
      ]),
    )
    .max(10_000),
);

/** The whole configuration, as written in a file or passed to the library. Every key is optional. */
export const configSchema = once(() =>
  z.strictObject({
    $schema: z.string().optional().describe("Where an editor finds the schema of this file."),
    workspaceDir: text().optional().describe("Folder the agent works in. @default the current folder"),
    mode: z
      .enum(modes)
      .optional()
      .describe('What runs without a person\'s consent where no rule decides. @default "ask"'),
    toolset: text().optional().describe('Name of the toolset that the agent gets. @default "all"'),
    agent: text().optional().describe('Name of the agent. @default "default"'),
    stateDir: text().optional().describe("Folder of Tenon's own state. @default $XDG_STATE_HOME/tenon"),
    database: z
      .string()
      .max(4096)
      .regex(
        /^(?:sqlite|:memory:|postgres(?:ql)?:\/\/\S+)$/,
        'expected "sqlite", ":memory:" or a postgres:// address',
      )
      .optional()
      .describe('Where state is kept. @default "sqlite", a file in stateDir'),
    securityLevel: z
      .enum(securityLevels)
      .optional()
      .describe('Tools above this level do not run at all. @default "critical"'),
    capabilities: z
      .union([capabilityList(), z.record(text(), capabilityList())])
      .optional()
      .describe("Capabilities of every agent, or by agent. @default []"),
    durability: z
      .enum(["default", "strict"])
      .optional()
      .describe('"strict" syncs each record before its answer leaves. @default "default"'),
    audit: z
      .strictObject({
        enabled: z.boolean().optional().describe("Keep a record of every call. @default true"),
        maxAgeDays: atLeastOne().optional().describe("Drop records older than this. @default 90"),
        maxBytes: bytes()
          .optional()
          .describe("Drop the oldest records beyond this size. @default 1073741824 (1 GiB)"),
        keepResults: z
          .boolean()
          .optional()
          .describe("Keep results too, not only their digests. @default true"),
      })
      .optional()
      .describe("The log of calls."),
    state: stateSchema().optional().describe("How much the state keeps."),
    idempotency: z
      .strictObject({
        maxAgeHours: atLeastOne()
          .optional()
          .describe("How long the answer of a call is kept under its idempotency key. @default 24"),
        maxKeys: atLeastOne()
          .optional()
          .describe("Keys that may be in use at the same time; further ones are refused. @default 10000"),
      })
      .optional()
      .describe("Answers that are given again to a call with the same key."),
    journal: z
      .strictObject({
        maxAgeDays: atLeastOne()
          .optional()
          .describe("Changes older than this can no longer be undone. @default 30"),
        maxBytes: bytes()
          .optional()
          .describe(
            "Forget the oldest changes beyond this many bytes of kept content. @default 1073741824 (1 GiB)",
          ),
      })
      .optional()
      .describe("What is kept so that changes of files can be undone."),
    policy: z
      .strictObject({
        rules: z
          .array(ruleSchema())
          .max(10_000)
          .optional()
          .describe("Rules; the first that matches decides. @default []"),
      })
      .optional()
      .describe("Which calls are allowed, asked for or denied."),
    files: files().optional().describe("Where files may be read and written."),
    network: network().optional().describe("Where requests may go."),
    sandbox: sandboxSchema().optional().describe("How commands are walled in."),
    secrets: z
      .strictObject({
        allowEnv: z
          .array(glob())
          .max(1000)
          .optional()
          .describe("Secret-looking variables that the agent may see. @default []"),
      })
      .optional()
      .describe("What looks secret and may be seen nevertheless."),
    mcpServers: serversSchema().optional().describe("MCP servers by name. @default {}"),
    tools: tools().optional().describe("Which tools there are and how they run."),
    toolsets: z.record(text(), toolset()).optional().describe("Toolsets of your own, by name. @default {}"),
    chains: chainsSchema().optional().describe("Tools made of tools, by name. @default {}"),
    optimiser: z
      .enum(optimiserModes)
      .optional()
      .describe('Whether measured limits are advised or applied. @default "off"'),
    telemetry: telemetrySchema().optional().describe("OpenTelemetry spans of calls. @default none"),
    logging: loggingSchema()
      .optional()
      .describe("Log lines of calls and tools, from logLevel up. @default none"),
    logLevel: z.enum(logLevels).optional().describe('Least level that is logged. @default "info"'),
    approvals: z
      .strictObject({
        timeoutMs: milliseconds().optional().describe("How long a person has to answer. @default 300000"),
        pageTimeoutMs: milliseconds()
          .optional()
          .describe(
            "How long a call waits for consent while nobody but the console can answer and no page of it is open. @default 30000",
          ),
        channels: z
          .array(z.enum(approvalChannels))
          .min(1)
          .max(approvalChannels.length)
          .optional()
          .describe(
            "Who may consent, the first named first; all that can be reached are asked together, and the first answer counts. @default all, but not a host that is connected over HTTP",
          ),
      })
      .optional()
      .describe("How a person is asked."),
    artifacts: z
      .strictObject({
        dir: text()
          .optional()
          .describe('Folder of the documents of stages, in the workspace. @default ".tenon/artifacts"'),
      })
      .optional()
      .describe("Where the documents of stages lie."),
    plugins: z
      .array(z.union([text(), pluginSchema()]))
      .max(1000)
      .optional()
      .describe("Plugins: a file, a folder or an npm package each, or { path, … }. @default []"),
  }),
);

/** The configuration as people write it. */
export type TenonConfig = z.input<ReturnType<typeof configSchema>>;

/** Declare a configuration in `tenon.config.ts` with its types checked. */
export function defineConfig(config: TenonConfig): TenonConfig {
  return config;
}
