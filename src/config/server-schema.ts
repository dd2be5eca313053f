import * as z from "zod";
import { glob, text } from "./shared-schemas.js";

const selection = {
  enabled: z.boolean().optional().describe("`false` keeps the entry, but does not start it. @default true"),
  include: z.array(glob).max(1000).optional().describe("Only these of its tools. @default all"),
  exclude: z.array(glob).max(1000).optional().describe("None of these tools. @default none"),
};

const started = {
  command: text.describe("Program to start; it speaks MCP on its standard streams."),
  args: z.array(z.string().max(32_768)).max(1000).optional().describe("Its arguments. @default []"),
  env: z
    .record(text, z.string().max(32_768))
    .optional()
    .describe("Variables it gets besides the plain ones. @default {}"),
  cwd: text.optional().describe("Folder to start it in. @default the workspace"),
  type: z.literal("stdio").optional().describe('As other hosts write it. @default "stdio"'),
  ...selection,
};

const remoteTransport = z.enum(["http", "streamable-http", "sse"]);

const remote = {
  url: z
    .string()
    .max(4096)
    .regex(/^https?:\/\/\S+$/i, "expected an http:// or https:// address")
    .describe("Address of a server that runs already."),
  headers: z.record(text, z.string().max(32_768)).optional().describe("Sent with each request. @default {}"),
  transport: remoteTransport.optional().describe('How to speak to it. @default "http", else "sse"'),
  type: remoteTransport.optional().describe("Another word for `transport`, as other hosts write it."),
  ...selection,
};

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "expected 1 to 64 letters, digits, _ . or -");

/** MCP servers by name, as other hosts write them. */
export const serversSchema = z.record(name, z.union([z.strictObject(started), z.strictObject(remote)]));

/** MCP servers as a list, each with its name. */
export const serverListSchema = z
  .array(
    z.union([
      z.strictObject({ name: name.describe("Name of the server."), ...remote }),
      z.strictObject({ name: name.describe("Name of the server."), ...started }),
    ]),
  )
  .max(1000);

/** One MCP server: a program to start, or an address. */
export type McpServerConfig = z.output<typeof serversSchema>[string];
