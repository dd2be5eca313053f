import * as z from "zod";
import { once } from "../contract/once.js";
import { profileNames } from "../world/sandbox/profiles.js";
import { sandboxUses } from "../world/sandbox/settings.js";
import { section, setting } from "./setting.js";
import { atLeastOne, bytes, milliseconds, paths } from "./shared-schemas.js";
import { added, fewer, smaller, stricterIn } from "./tighten-rules.js";

const limits = once(() =>
  section("What one command may use.", {
    cpuSeconds: setting(atLeastOne(), "CPU time of one process in seconds.", {
      default: 3600,
      tighten: smaller,
    }),
    fileSize: setting(bytes(), "Largest file that a command may write.", {
      default: 4 * 2 ** 30,
      tighten: smaller,
    }),
    processes: setting(atLeastOne(), "Processes and threads of one command at the same time.", {
      default: 2048,
      tighten: smaller,
    }),
    openFiles: setting(atLeastOne(), "Open files of one process.", {
      defaultText: "the system's",
      tighten: smaller,
    }),
    memory: setting(bytes(), "Memory of all commands together, where control groups allow.", {
      defaultText: "three quarters",
      tighten: smaller,
    }),
    disk: setting(
      bytes(),
      "Disk space that one command may take, with what its session keeps in /tmp and caches; beyond it the command is stopped.",
      { default: 16 * 2 ** 30, tighten: smaller },
    ),
  }),
);

const quarantine = once(() =>
  section("How long changes are kept that were held back from commands; the oldest are dropped first.", {
    maxItems: setting(atLeastOne(), "How many changes are kept.", { default: 1000 }),
    maxBytes: setting(bytes(), "Their total size.", { default: 256 * 2 ** 20 }),
    maxAge: setting(milliseconds(), "How long one is kept, in milliseconds.", {
      default: 7 * 24 * 3600 * 1000,
      defaultText: "604800000 (seven days)",
    }),
  }),
);

const layers = once(() =>
  section("The layers that collect the changes of commands until these are committed to the workspace.", {
    enabled: setting(
      z.boolean(),
      "Run commands in the foreground on a layer of the workspace, where the system allows it: their changes are judged and committed when they end. Otherwise, commands change the workspace directly.",
      { default: true, tighten: stricterIn([true, false]) },
    ),
    maxBytes: setting(
      bytes(),
      "Disk space that the changes of one command may take; beyond it the command is stopped and nothing is committed.",
      { default: 8 * 2 ** 30, tighten: smaller },
    ),
    maxEntries: setting(atLeastOne(), "How many files and folders one command may change.", {
      default: 1_000_000,
      tighten: smaller,
    }),
    maxKept: setting(atLeastOne(), "How many layers with changes that were not committed are kept.", {
      default: 20,
    }),
    maxKeptBytes: setting(bytes(), "Their total size; the oldest are dropped first.", {
      default: 8 * 2 ** 30,
    }),
    maxAge: setting(milliseconds(), "How long one is kept, in milliseconds.", {
      default: 3600 * 1000,
      defaultText: "3600000 (one hour)",
    }),
  }),
);

const caches = once(() =>
  section("The packages that commands of a workspace downloaded.", {
    maxBytes: setting(
      bytes(),
      "Disk space that they may take; beyond it, the least recently used are removed, and downloaded again when needed.",
      { default: 8 * 2 ** 30 },
    ),
  }),
);

/** How commands are isolated. */
export const sandboxSection = once(() =>
  section("How commands are isolated.", {
    enabled: setting(z.enum(sandboxUses), '"required" runs no command without a sandbox, "off" uses none.', {
      default: "auto",
      tighten: stricterIn(sandboxUses),
    }),
    profiles: setting(
      z.array(z.enum(profileNames)).max(100),
      "Toolchains of the home folder that commands can use.",
      { default: [...profileNames], defaultText: "all", tighten: fewer },
    ),
    readable: setting(paths(), "Additional files and folders that commands can read.", { default: [] }),
    writable: setting(
      paths(),
      "Additional folders that commands can write, or protected ones in the workspace.",
      { default: [] },
    ),
    hidden: setting(paths(), "Paths that commands cannot see, in addition to the forbidden ones.", {
      default: [],
      merge: "add",
      tighten: added,
    }),
    unixSockets: setting(z.boolean(), "Let commands use unix sockets.", {
      default: false,
      tighten: stricterIn([false, true]),
    }),
    credentials: setting(
      z.array(z.string().min(1).max(253)).max(100),
      "Names of hosts. A command that is granted one of them by its name sees your credentials for it: those in .npmrc, .netrc, .git-credentials and the addresses of pip and uv.",
      { default: [] },
    ),
    limits: limits(),
    quarantine: quarantine(),
    layers: layers(),
    caches: caches(),
  }),
);
