import * as z from "zod";
import { once } from "../contract/once.js";
import { chainsSchema } from "./chain-schema.js";
import { approvalChannels } from "../contract/ports/approval.js";
import { logLevels, modes, optimiserModes, securityLevels } from "./levels.js";
import { authSection } from "./auth-schema.js";
import { endpointsSchema } from "./endpoint-schema.js";
import { fleetSection } from "./fleet-schema.js";
import { ruleSchema, type PolicyRule } from "./rule-schema.js";
import { sandboxSection } from "./sandbox-schema.js";
import { secretsSection } from "./secrets-schema.js";
import { serversSchema } from "./server-schema.js";
import { accessSchema } from "./access-schema.js";
import { section, setting, type TightenContext } from "./setting.js";
import { atLeastOne, bytes, glob, milliseconds, paths, text } from "./shared-schemas.js";
import { loggingSchema, telemetrySection } from "./telemetry-schema.js";
import { added, smaller, stricterIn } from "./tighten-rules.js";
import { toolsetSchema, toolsSection } from "./tools-schema.js";
import { defaultStateLimits, type StateLimits } from "../store/state-limits.js";

const capabilityList = once(() => z.array(text()).max(1000));

const files = once(() => {
  const strict = (what: string) =>
    setting(z.boolean(), what, { default: false, tighten: stricterIn([true, false]) });
  return section("Where files may be read and written.", {
    allowedPaths: setting(paths(), "Paths outside the workspace that may be used.", { default: [] }),
    forbiddenPaths: setting(paths(), "Paths that may be neither read nor changed.", {
      default: [],
      merge: "add",
      tighten: added,
    }),
    protectedPaths: setting(
      paths(),
      "Paths that may be read but not changed, in addition to the built-in ones.",
      { default: [], merge: "add", tighten: added },
    ),
    maxFileSize: setting(
      bytes(),
      "Largest file in bytes that is read or written as a whole. Ranges of lines, moves, copies and deletes are not limited.",
      { default: 100 * 2 ** 20, tighten: smaller },
    ),
    strict: section("Stricter rules for paths.", {
      noParent: strict("Refuse every path that contains `..`."),
      noSymlinks: strict("Refuse every symbolic link."),
      noAbsolute: strict("Refuse absolute paths."),
    }),
  });
});

const network = once(() =>
  section("Where requests may go.", {
    allowHosts: setting(
      z.array(glob()).max(10_000),
      "Hosts that may be reached even if their addresses are private.",
      { default: [] },
    ),
    allowPrivate: setting(z.boolean(), "Allow private and loopback addresses.", {
      default: false,
      tighten: stricterIn([false, true]),
    }),
    maxBytes: setting(bytes(), "Largest response in bytes, decoded.", {
      default: 10 * 2 ** 20,
      tighten: smaller,
    }),
    timeoutMs: setting(milliseconds(), "Time limit of one request.", { default: 60_000, tighten: smaller }),
  }),
);

const audit = once(() =>
  section("The log of calls.", {
    enabled: setting(z.boolean(), "Keep a record of every call.", {
      default: true,
      tighten: stricterIn([true, false]),
    }),
    maxAgeDays: setting(atLeastOne(), "Drop records older than this.", { default: 90 }),
    maxBytes: setting(bytes(), "Drop the oldest records beyond this size.", { default: 2 ** 30 }),
    keepResults: setting(z.boolean(), "Keep results too, not only their digests.", { default: true }),
  }),
);

const idempotency = once(() =>
  section("Results that are returned again for a call with the same idempotency key.", {
    maxAgeHours: setting(atLeastOne(), "How long the result of a call is kept under its idempotency key.", {
      default: 24,
    }),
    maxKeys: setting(atLeastOne(), "Keys that may be in use at the same time; further ones are refused.", {
      default: 10_000,
    }),
  }),
);

const journal = once(() =>
  section("What is kept so that file changes can be undone.", {
    maxAgeDays: setting(atLeastOne(), "Changes older than this can no longer be undone.", { default: 30 }),
    maxBytes: setting(
      bytes(),
      "Forget the oldest changes beyond this many bytes of stored content. A change that alone exceeds it can be undone as long as it is the newest one.",
      { default: 2 ** 30 },
    ),
    maxIgnoredBytes: setting(
      bytes(),
      "Bytes of ignored files, such as installed packages, that commands replaced and that are kept for an undo. They do not count towards maxBytes.",
      { default: 2 ** 30 },
    ),
  }),
);

/** Rules that only restrict; one that allows is ignored. */
function withoutAllow(rules: readonly PolicyRule[], { refuse }: TightenContext): readonly PolicyRule[] {
  for (const { id, decision } of rules) if (decision === "allow") refuse(` (allow: ${id})`);
  return rules.filter(({ decision }) => decision !== "allow");
}

const approvals = once(() =>
  section("How a person is asked.", {
    timeoutMs: setting(milliseconds(), "How long a person has to answer.", {
      default: 300_000,
      tighten: smaller,
    }),
    pageTimeoutMs: setting(
      milliseconds(),
      "How long a call waits for consent while only the console can answer and none of its pages is open.",
      { default: 30_000, tighten: smaller },
    ),
    // Who may consent is the person's own choice, so there is no rule to tighten it.
    channels: setting(
      z.array(z.enum(approvalChannels)).min(1).max(approvalChannels.length),
      "Who may consent, in order of preference; all that can be reached are asked together, and the first answer counts.",
      { defaultText: "all, but not a host that is connected over HTTP" },
    ),
  }),
);

/**
 * The whole configuration, as written in a file or passed to the library. Every key is optional. This is the one place
 * where a setting is declared: its type, text and default, how sources are merged, and how an untrusted file may
 * tighten it.
 */
export const configSchema = once(() =>
  z.strictObject({
    $schema: setting(z.string(), "Where an editor finds the schema of this file."),
    workspaceDir: setting(text(), "Folder the agent works in.", { defaultText: "the current folder" }),
    mode: setting(z.enum(modes), "What runs without a person's consent where no rule decides.", {
      default: "ask",
      tighten: stricterIn(modes),
    }),
    toolset: setting(text(), "Name of the toolset that the agent gets.", { default: "all" }),
    agent: setting(text(), "Name of the agent.", { default: "default" }),
    stateDir: setting(text(), "Folder of Tenon's own state.", { defaultText: "$XDG_STATE_HOME/tenon" }),
    database: setting(
      z
        .string()
        .max(4096)
        .regex(
          /^(?:sqlite|:memory:|postgres(?:ql)?:\/\/\S+)$/,
          'expected "sqlite", ":memory:" or a postgres:// address',
        ),
      "Where state is kept.",
      { default: "sqlite", defaultText: '"sqlite", a file in stateDir' },
    ),
    securityLevel: setting(z.enum(securityLevels), "Tools above this level do not run at all.", {
      default: "critical",
      tighten: stricterIn(securityLevels),
    }),
    capabilities: setting(
      z.union([capabilityList(), z.record(text(), capabilityList())]),
      "Capabilities of every agent, or by agent.",
      { default: {}, defaultText: "[]" },
    ),
    durability: setting(
      z.enum(["default", "strict"]),
      '"strict" syncs each record to disk before the response is sent.',
      { default: "default", tighten: stricterIn(["strict", "default"]) },
    ),
    audit: audit(),
    state: stateSection(),
    idempotency: idempotency(),
    journal: journal(),
    policy: section("Which calls are allowed, need approval, or are denied.", {
      rules: setting(z.array(ruleSchema()).max(100_000), "Rules; the first that matches decides.", {
        default: [],
        merge: "add",
        tighten: withoutAllow,
      }),
    }),
    files: files(),
    network: network(),
    sandbox: sandboxSection(),
    shell: section("How commands are consented to.", {
      askAfter: setting(
        z.boolean(),
        'In mode "ask", run a command that is not known to be harmless on a layer first, without network, and ask with what it changed. Needs sandbox.layers.enabled; a command that cannot run on a layer is asked about before it runs.',
        { default: false, tighten: stricterIn([false, true]) },
      ),
    }),
    secrets: secretsSection(),
    mcpServers: setting(serversSchema(), "MCP servers by name.", { default: {} }),
    tools: toolsSection(),
    endpoints: setting(
      endpointsSchema(),
      "MCP endpoints of `tenon serve` below /mcp/, by name, each with its own selection of tools.",
      { default: {} },
    ),
    auth: authSection(),
    fleet: fleetSection(),
    toolsets: setting(z.record(text(), toolsetSchema()), "Your own toolsets, by name.", { default: {} }),
    chains: setting(chainsSchema(), "Tools that combine other tools, by name.", { default: {} }),
    optimiser: setting(z.enum(optimiserModes), "Whether measured limits are suggested or applied.", {
      default: "off",
      tighten: stricterIn(optimiserModes),
    }),
    telemetry: telemetrySection(),
    logging: setting(loggingSchema(), "Log lines of calls and tools, from logLevel up.", {
      defaultText: "none",
      merge: "whole",
    }),
    logLevel: setting(z.enum(logLevels), "Lowest level that is logged.", { default: "info" }),
    approvals: approvals(),
    artifacts: section("Where the documents of stages are stored.", {
      dir: setting(text(), "Folder of the documents of stages, in the workspace.", {
        default: ".tenon/artifacts",
      }),
    }),
    plugins: setting(
      z.array(z.union([text(), pluginSchema()])).max(1000),
      "Plugins: a file, a folder or an npm package each, or { path, … }.",
      { default: [], merge: "add" },
    ),
  }),
);

/** The configuration as people write it. */
export type TenonConfig = z.input<ReturnType<typeof configSchema>>;

/**
 * Declare a configuration in `tenon.config.ts` with its types checked.
 *
 * @example
 * export default defineConfig({ mode: "auto", tools: { maxConcurrent: 3 } });
 */
export function defineConfig(config: TenonConfig): TenonConfig {
  return config;
}

/** A plugin with settings. */
const pluginSchema = once(() =>
  z.strictObject({
    path: text().describe("A file, a folder or an npm package."),
    enabled: z.boolean().optional().describe("`false`: it is not loaded. @default true"),
    inProcess: z
      .boolean()
      .optional()
      .describe("Load it into Tenon's own process: faster, but not isolated. @default false"),
    watch: z.boolean().optional().describe("Reload it when one of its files changes. @default false"),
    timeoutMs: milliseconds().optional().describe("How long it may take to load. @default 15000"),
    sandbox: accessSchema()
      .optional()
      .describe(
        "Run it in the sandbox with this access only; {} for none. @default it runs outside the sandbox, with all your permissions",
      ),
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

/** How much state is kept. */
const stateSection = once(() => {
  const limit = (name: keyof StateLimits, text: string) =>
    setting(z.int().min(1).max(1_000_000_000), text, { default: defaultStateLimits[name] });
  return section("How much state is kept.", {
    maxMemories: limit("maxMemories", "Memories; more are refused."),
    maxPlanRecords: limit("maxPlanRecords", "Requirements, features and tasks, each; more are refused."),
    maxSnippets: limit("maxSnippets", "Snippets; more are refused."),
    maxSnippetVersions: limit(
      "maxSnippetVersions",
      "Previous versions of one snippet; the oldest are dropped.",
    ),
    maxArtifactVersions: limit("maxArtifactVersions", "Versions of one document; the oldest are dropped."),
    maxIterations: limit("maxIterations", "Iterations; more are refused."),
    maxHistory: limit("maxHistory", "Changes in the history of one plan record; the oldest are dropped."),
    maxSessions: limit("maxSessions", "Named sessions; the least recently changed are dropped."),
    maxApprovals: limit("maxApprovals", "Answered approval requests; the oldest are dropped."),
    maxValues: limit("maxValues", "Values that one tool stores; more are refused."),
    maxValueBytes: limit("maxValueBytes", "Bytes of the values that one tool stores; more are refused."),
  });
});
