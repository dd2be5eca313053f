import * as z from "zod";
import { once } from "../schema/once.js";
import { milliseconds, text } from "./shared-schemas.js";

/** A plugin with settings. */
export const pluginSchema = once(() =>
  z.strictObject({
    path: text().describe("A file, a folder or an npm package."),
    enabled: z.boolean().optional().describe("`false`: it is not loaded. @default true"),
    inProcess: z
      .boolean()
      .optional()
      .describe("Load it into Tenon's own process: faster, but nothing holds it. @default false"),
    watch: z.boolean().optional().describe("Reload it when one of its files changes. @default false"),
    timeoutMs: milliseconds().optional().describe("How long it may take to load. @default 15000"),
    options: z.record(z.string(), z.unknown()).optional().describe("What its setup gets. @default {}"),
  }),
);
