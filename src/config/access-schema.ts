import * as z from "zod";
import { once } from "../contract/once.js";
import { hostArgument } from "../tools/shell/network-argument.js";
import { paths } from "./shared-schemas.js";

/** What an MCP server or a plugin in the sandbox may reach. */
export const accessSchema = once(() =>
  z.strictObject({
    network: z
      .union([z.boolean(), z.array(hostArgument).max(1000)])
      .optional()
      .describe(
        "Hosts that it may reach, such as `api.example.org` or `*.example.org:443`; `true` for every public host. @default none",
      ),
    readable: paths()
      .optional()
      .describe("Files and folders that it may read, relative to the workspace. @default none"),
    writable: paths()
      .optional()
      .describe("Files and folders that it may read and write, relative to the workspace. @default none"),
  }),
);
