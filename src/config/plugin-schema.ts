import * as z from "zod";
import { once } from "../schema/once.js";
import { atLeastOne, bytes, milliseconds, text } from "./shared-schemas.js";

/** A plugin with settings. */
export const pluginSchema = once(() =>
  z.strictObject({
    path: text().describe("A file, a folder or an npm package."),
    enabled: z.boolean().optional().describe("`false`: it is not loaded. @default true"),
    inProcess: z
      .boolean()
      .optional()
      .describe("Load it into Tenon's own process: faster, but not isolated. @default false"),
    watch: z.boolean().optional().describe("Reload it when one of its files changes. @default false"),
    timeoutMs: milliseconds().optional().describe("How long it may take to load. @default 15000"),
    limits: z
      .strictObject({
        memory: bytes()
          .optional()
          .describe("Memory of its process and everything it started. @default 1073741824 (1 GiB)"),
        processes: atLeastOne().optional().describe("Processes, including its own. @default 64"),
      })
      .optional()
      .describe("What its process may use on Linux; beyond that the process is stopped and restarted."),
    options: z.record(z.string(), z.unknown()).optional().describe("Passed to its setup. @default {}"),
  }),
);
