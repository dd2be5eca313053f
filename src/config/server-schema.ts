import * as z from "zod";
import { once } from "../contract/once.js";
import { accessSchema } from "./access-schema.js";
import { whole } from "./setting.js";
import { milliseconds, nameGlob, text, webAddress } from "./shared-schemas.js";

const selection = once(() => ({
  enabled: z
    .boolean()
    .optional()
    .describe("`false` keeps the entry but does not start the server. @default true"),
  include: z.array(nameGlob()).max(1000).optional().describe("Only these of its tools. @default all"),
  exclude: z.array(nameGlob()).max(1000).optional().describe("None of these tools. @default none"),
  timeoutMs: milliseconds().optional().describe("Time limit of one call, in milliseconds. @default 60000"),
  startTimeoutMs: milliseconds()
    .optional()
    .describe(
      "Time limit for connecting and listing its tools, in milliseconds. @default 30000, or 600000 for a program that npx and the like download",
    ),
  maxConcurrent: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("Calls that run at the same time. @default 16"),
  maxPerMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("Calls in any minute; more are refused with QUOTA_SPENT. @default no limit"),
  lazy: z
    .boolean()
    .optional()
    .describe("Start it with the first call if its tools are already known. @default true"),
  era: z
    .enum(["auto", "2025", "2026"])
    .optional()
    .describe(
      'Protocol revisions to speak: those up to 2025-11-25, those from 2026-07-28 on, or what the server supports. @default "auto"',
    ),
  instances: z
    .enum(["shared", "session"])
    .optional()
    .describe(
      'One instance for all sessions, or one for each session that calls it, which ends with the session. @default "shared"',
    ),
  trustAnnotations: z
    .boolean()
    .optional()
    .describe("Trust what it says about its tools (read-only, idempotent, …). @default false"),
}));

const started = once(() => ({
  command: text().describe("Program to start; it speaks MCP on its standard streams."),
  args: z.array(z.string().max(32_768)).max(1000).optional().describe("Its arguments. @default []"),
  env: z
    .record(text(), z.string().max(32_768))
    .optional()
    .describe("Environment variables it gets in addition to the plain ones. @default {}"),
  cwd: text().optional().describe("Folder to start it in. @default the workspace"),
  type: z.literal("stdio").optional().describe('As other hosts write it. @default "stdio"'),
  sandbox: accessSchema()
    .optional()
    .describe(
      "Run it in the sandbox with this access only; {} for none. @default it runs outside the sandbox, with all your permissions",
    ),
  ...selection(),
}));

const remoteTransport = once(() => z.enum(["http", "streamable-http", "sse"]));

const remote = once(() => ({
  url: webAddress().describe("Address of a server that is already running."),
  headers: z
    .record(text(), z.string().max(32_768))
    .optional()
    .describe("Headers sent with each request. @default {}"),
  transport: remoteTransport().optional().describe('The transport to use. @default "http", else "sse"'),
  oauth: z
    .union([
      z.literal(false),
      z.strictObject({
        clientId: text()
          .optional()
          .describe("Id of a client that is already registered. @default registers itself"),
        clientSecret: text().optional().describe("Secret of that client. @default none"),
        scope: text().optional().describe("Scopes to request. @default what the server names"),
        redirectPort: z
          .int()
          .min(1)
          .max(65_535)
          .optional()
          .describe("Port on this machine that the login redirects to. @default a free one"),
      }),
    ])
    .optional()
    .describe("How to log in if the server requires it; `false`: never. @default registers itself"),
  type: remoteTransport().optional().describe("Alias of `transport`, as other hosts write it."),
  ...selection(),
}));

const name = once(() =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "expected 1 to 64 letters, digits, _ . or -"),
);

/** A server by itself: its name, and the two forms that it has. */
export const serverSchemas = once(() => ({
  name: name(),
  started: z.strictObject(started()),
  remote: z.strictObject(remote()),
}));

/** MCP servers by name, as other hosts write them. */
export const serversSchema = once(() =>
  z.record(name(), whole(z.union([z.strictObject(started()), z.strictObject(remote())]))),
);

/** MCP servers as a list, each with its name. */
export const serverListSchema = once(() =>
  z
    .array(
      z.union([
        z.strictObject({ name: name().describe("Name of the server."), ...remote() }),
        z.strictObject({ name: name().describe("Name of the server."), ...started() }),
      ]),
    )
    .max(1000),
);

/** One MCP server: a program to start, or an address. */
export type McpServerConfig = z.output<ReturnType<typeof serversSchema>>[string];
