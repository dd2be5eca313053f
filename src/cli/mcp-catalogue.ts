import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ignoring } from "../contract/errno.js";
import type { AnswerCatalogue } from "../mcp/server/ready-answers.js";
import { defaultStateDir, userConfigDir } from "../config/folders.js";
import { modes } from "../config/levels.js";
import { makeFolder } from "../contract/make-folder.js";

export interface CatalogueQuery {
  /** After `tenon mcp`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The answers prepared at build time: a line of frames, then the tools. */
  readonly builtIn: () => string;
}

/** The answers of the protocol, around the list of tools. */
interface Frames {
  readonly version: string;
  readonly protocols: readonly string[];
  readonly initialize: Readonly<Record<string, unknown>>;
  readonly discover: Readonly<Record<string, unknown>>;
  readonly modern: Readonly<Record<string, unknown>>;
}

/**
 * The answers that a full start would give; `undefined` if they are not known. The built-in tools if nothing is
 * configured, else those of the last start with the same arguments, environment and configuration.
 */
export function findCatalogue(query: CatalogueQuery): AnswerCatalogue | undefined {
  const flags = readFlags(query.args);
  if (flags === undefined) return undefined;
  try {
    const [head = "", own = ""] = query.builtIn().split("\n");
    const frames = JSON.parse(head) as Frames;
    const sources = sourcesOf(flags, query);
    if (sources === undefined) return undefined;
    const tools = sources === "" ? own : readCached(cacheFile(sources, frames.version, query.env));
    return tools === undefined || tools === "" ? undefined : build(frames, tools);
  } catch {
    return undefined; // the full start reports what is wrong
  }
}

function build(frames: Frames, tools: string): AnswerCatalogue {
  const [latest = ""] = frames.protocols;
  return {
    tools,
    discover: JSON.stringify(frames.discover),
    list: `{"tools":${tools}}`,
    modernList: `{"tools":${tools},${JSON.stringify(frames.modern).slice(1)}`,
    initialize: (asked) =>
      JSON.stringify({
        ...frames.initialize,
        protocolVersion: frames.protocols.includes(asked) ? asked : latest,
      }),
  };
}

/** What the tools of a full start depend on. */
export interface CatalogueOrigin extends Pick<CatalogueQuery, "env" | "cwd"> {
  readonly version: string;
  readonly flags: CatalogueFlags;
}

/** Save the tools of a start, so that the next start like it can list them at once. */
export function saveCatalogue(origin: CatalogueOrigin, tools: readonly unknown[]): void {
  const sources = tools.length > maxTools ? undefined : sourcesOf(origin.flags, origin);
  if (sources === undefined || sources === "") return;
  const file = cacheFile(sources, origin.version, origin.env);
  const text = JSON.stringify(tools);
  if (readCached(file) === text) return;
  const folder = dirname(file);
  makeFolder(folder, 0o700);
  // Each change of a configuration leaves a file behind; they save milliseconds and are not worth collecting.
  if (readdirSync(folder).length >= maxFiles) rmSync(folder, { recursive: true, force: true });
  makeFolder(folder, 0o700);
  // Written atomically: another process may be reading it.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

const maxFiles = 64;
/** One page: the server itself sends longer lists. */
const maxTools = 1000;

/** The flags that affect the list of tools. */
export interface CatalogueFlags {
  readonly workspace?: string | undefined;
  readonly toolset?: string | undefined;
}

const flagNames: Readonly<Record<string, string>> = {
  "-w": "workspace",
  "--workspace": "workspace",
  "--toolset": "toolset",
  "--mode": "mode",
};

/** The few flags that an MCP host's configuration usually has; any other needs the full start. */
function readFlags(args: readonly string[]): CatalogueFlags | undefined {
  const flags: Record<string, string> = {};
  for (let at = 0; at < args.length; at++) {
    const [name = "", joined] = (args[at] ?? "").split(/=(.*)/s);
    const key = Object.hasOwn(flagNames, name) ? flagNames[name] : undefined;
    const value = joined ?? args[++at];
    if (key === undefined || value === undefined || flags[key] !== undefined) return undefined;
    flags[key] = value;
  }
  const { mode } = flags;
  return mode === undefined || (modes as readonly string[]).includes(mode) ? flags : undefined;
}

/** Everything that the list of tools depends on, as one text; `undefined` if a file cannot be read. */
function sourcesOf(
  flags: CatalogueFlags,
  { env, cwd }: Pick<CatalogueQuery, "env" | "cwd">,
): string | undefined {
  const workspace = resolve(cwd, flags.workspace ?? ".");
  if (!statSync(workspace).isDirectory()) return undefined;
  if (env["TENON_MODE"] && !(modes as readonly string[]).includes(env["TENON_MODE"])) return undefined;
  const toolset = flags.toolset ?? (env["TENON_TOOLSET"] || undefined);
  const named = env["TENON_CONFIG"] || undefined;
  const files = [
    ...(named === undefined ? [] : [resolve(cwd, named)]),
    ...configsIn(userConfigDir(env, homedir()), "config."),
    ...configsIn(workspace, "tenon.config."),
  ];
  if (files.length === 0 && toolset === undefined) return "";
  const contents = files.map((file) => [file, readFileSync(file, "base64")]);
  // What a workspace's configuration may do depends on whether it is trusted.
  const trusted = configsIn(join(stateDirOf(env), "trust"), "").map((file) => readFileSync(file, "utf8"));
  return JSON.stringify([workspace, toolset, contents, trusted]);
}

function configsIn(folder: string, stem: string): string[] {
  return (
    ignoring("ENOENT", () =>
      readdirSync(folder)
        .filter((name) => name.startsWith(stem))
        .sort()
        .map((name) => join(folder, name)),
    ) ?? []
  );
}

function cacheFile(sources: string, version: string, env: CatalogueQuery["env"]): string {
  const digest = createHash("sha256").update(`${version}\n${sources}`).digest("hex");
  return join(stateDirOf(env), "mcp-catalogues", `${digest}.json`);
}

function stateDirOf(env: CatalogueQuery["env"]): string {
  return env["TENON_STATE_DIR"] || defaultStateDir(env, homedir());
}

function readCached(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // the first start with this configuration
  }
}
