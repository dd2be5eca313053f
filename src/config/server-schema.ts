import * as z from "zod";
import { once } from "../schema/once.js";
import { glob, text } from "./shared-schemas.js";

/** Milliseconds; longer timers fire at once. */
const limit = once(() => z.int().min(1).max(2_147_483_647));

const selection = once(() => ({
  enabled: z.boolean().optional().describe("`false` keeps the entry, but does not start it. @default true"),
  include: z.array(glob()).max(1000).optional().describe("Only these of its tools. @default all"),
  exclude: z.array(glob()).max(1000).optional().describe("None of these tools. @default none"),
  timeoutMs: limit().optional().describe("Limit of one call, in milliseconds. @default 60000"),
  startTimeoutMs: limit()
    .optional()
    .describe("Limit of connecting and listing its tools, in milliseconds. @default 30000"),
  maxConcurrent: z.int().min(1).max(10_000).optional().describe("Calls at the same time. @default 16"),
  lazy: z
    .boolean()
    .optional()
    .describe("Start it with the first call where its tools are known from before. @default true"),
  trustAnnotations: z
    .boolean()
    .optional()
    .describe("Take what it says of its tools (read-only, idempotent, …) for true. @default false"),
}));

const started = once(() => ({
  command: text().describe("Program to start; it speaks MCP on its standard streams."),
  args: z.array(z.string().max(32_768)).max(1000).optional().describe("Its arguments. @default []"),
  env: z
    .record(text(), z.string().max(32_768))
    .optional()
    .describe("Variables it gets besides the plain ones. @default {}"),
  cwd: text().optional().describe("Folder to start it in. @default the workspace"),
  type: z.literal("stdio").optional().describe('As other hosts write it. @default "stdio"'),
  ...selection(),
}));

const remoteTransport = once(() => z.enum(["http", "streamable-http", "sse"]));

const remote = once(() => ({
  url: z
    .string()
    .max(4096)
    .regex(/^https?:\/\/\S+$/i, "expected an http:// or https:// address")
    .describe("Address of a server that runs already."),
  headers: z
    .record(text(), z.string().max(32_768))
    .optional()
    .describe("Sent with each request. @default {}"),
  transport: remoteTransport().optional().describe('How to speak to it. @default "http", else "sse"'),
  oauth: z
    .union([
      z.literal(false),
      z.strictObject({
        clientId: text()
          .optional()
          .describe("Of a client that is registered already. @default registers itself"),
        clientSecret: text().optional().describe("Secret of that client. @default none"),
        scope: text().optional().describe("What to ask for. @default what the server names"),
        redirectPort: z
          .int()
          .min(1)
          .max(65_535)
          .optional()
          .describe("Port on this machine that the login comes back to. @default a free one"),
      }),
    ])
    .optional()
    .describe("How to log in where the server wants it; `false`: never. @default registers itself"),
  type: remoteTransport().optional().describe("Another word for `transport`, as other hosts write it."),
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
  z.record(name(), z.union([z.strictObject(started()), z.strictObject(remote())])),
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
