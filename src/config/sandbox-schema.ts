import * as z from "zod";
import { once } from "../schema/once.js";
import { profileNames } from "../world/sandbox/profiles.js";
import { sandboxUses } from "../world/sandbox/settings.js";
import { atLeastOne, bytes, milliseconds, paths } from "./shared-schemas.js";

const limits = once(() =>
  z.strictObject({
    cpuSeconds: atLeastOne().optional().describe("CPU time of one process in seconds. @default 3600"),
    fileSize: bytes()
      .optional()
      .describe("Largest file that a command may write. @default 4294967296 (4 GiB)"),
    processes: atLeastOne()
      .optional()
      .describe("Processes and threads of one command at the same time. @default 2048"),
    openFiles: atLeastOne().optional().describe("Open files of one process. @default the system's"),
    memory: bytes()
      .optional()
      .describe("Memory of all commands together, where control groups allow. @default three quarters"),
    disk: bytes()
      .optional()
      .describe(
        "Disk space that one command may take, with what its session keeps in /tmp and caches; beyond it the command is stopped. @default 17179869184 (16 GiB)",
      ),
  }),
);

const quarantine = once(() =>
  z.strictObject({
    maxItems: atLeastOne().optional().describe("How many changes are kept. @default 1000"),
    maxBytes: bytes().optional().describe("How much they may take together. @default 268435456 (256 MiB)"),
    maxAge: milliseconds()
      .optional()
      .describe("How long one is kept, in milliseconds. @default 604800000 (seven days)"),
  }),
);

/** How commands are walled in. */
export const sandboxSchema = once(() =>
  z.strictObject({
    enabled: z
      .enum(sandboxUses)
      .optional()
      .describe('"required" runs no command without a sandbox, "off" uses none. @default "auto"'),
    profiles: z
      .array(z.enum(profileNames))
      .max(100)
      .optional()
      .describe("Tool chains of the home folder that commands can use. @default all"),
    readable: paths().optional().describe("Further files and folders that commands can read. @default []"),
    writable: paths()
      .optional()
      .describe("Further folders that commands can write, or protected ones in the workspace. @default []"),
    hidden: paths().optional().describe("Paths that commands cannot see, besides the forbidden. @default []"),
    unixSockets: z.boolean().optional().describe("Let commands use unix sockets. @default false"),
    limits: limits().optional().describe("What one command may use."),
    quarantine: quarantine()
      .optional()
      .describe("How long changes are kept that were held back from commands; the oldest go first."),
  }),
);
