import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { AnswerCatalogue } from "../mcp/server/ready-answers.js";
import { defaultStateDir, userConfigDir } from "../config/folders.js";
import { modes } from "../config/levels.js";

export interface CatalogueQuery {
  /** After `tenon mcp`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The answers that were made when Tenon was built: a line of frames, then the tools. */
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
 * The answers that a full start would give; `undefined` where that cannot be known. Tenon's own tools where nothing
 * is configured, else what the last start with the same arguments, environment and configuration told.
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
    return undefined; // whatever is odd is for the full start to report
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

/** What of a full start decides about its tools. */
export interface CatalogueOrigin extends Pick<CatalogueQuery, "env" | "cwd"> {
  readonly version: string;
  readonly flags: CatalogueFlags;
}

/** Keep the tools of a start, so that the next one of the same kind can tell them at once. */
export function keepCatalogue(origin: CatalogueOrigin, tools: readonly unknown[]): void {
  const sources = tools.length > mostTools ? undefined : sourcesOf(origin.flags, origin);
  if (sources === undefined || sources === "") return;
  const file = cacheFile(sources, origin.version, origin.env);
  const text = JSON.stringify(tools);
  if (readCached(file) === text) return;
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Each change of a configuration leaves one behind; they are worth a few milliseconds, not a collection.
  if (readdirSync(folder).length >= mostKept) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Written whole or not at all: another process may be reading it.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

const mostKept = 64;
/** One page: longer lists are told by the server itself. */
const mostTools = 1000;

/** The flags that decide about the tools. */
export interface CatalogueFlags {
  readonly workspace?: string | undefined;
  readonly toolset?: string | undefined;
}

const taking: Readonly<Record<string, string>> = {
  "-w": "workspace",
  "--workspace": "workspace",
  "--toolset": "toolset",
  "--mode": "mode",
};

/** The few flags that a host's configuration usually has; with any other all is loaded first. */
function readFlags(args: readonly string[]): CatalogueFlags | undefined {
  const flags: Record<string, string> = {};
  for (let at = 0; at < args.length; at++) {
    const [name = "", joined] = (args[at] ?? "").split(/=(.*)/s);
    const key = Object.hasOwn(taking, name) ? taking[name] : undefined;
    const value = joined ?? args[++at];
    if (key === undefined || value === undefined || flags[key] !== undefined) return undefined;
    flags[key] = value;
  }
  const { mode } = flags;
  return mode === undefined || (modes as readonly string[]).includes(mode) ? flags : undefined;
}

/**
 * All that the list of tools hangs on, in one text; empty where nothing is configured.
 * A file that cannot be read as expected makes it unknown.
 */
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
  // What a workspace's own configuration may do hangs on whether the person trusts it.
  const trusted = configsIn(join(stateDirOf(env), "trust"), "").map((file) => readFileSync(file, "utf8"));
  return JSON.stringify([workspace, toolset, contents, trusted]);
}

function configsIn(folder: string, stem: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith(stem))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
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
