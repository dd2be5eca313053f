import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { errnoOf } from "../contract/errno.js";
import { defaultStateDir, userConfigDir } from "../config/folders.js";
import type { LoadedConfig } from "../config/load-config.js";
import { possibleFiles } from "../config/read-file.js";
import { messageOf } from "../contract/message-of.js";
import type { ServerChanges } from "../runtime/gateway/server-changes.js";
import type { Tenon } from "../runtime/tenon.js";
import type { CommonFlags, Terminal } from "./command-line.js";
import { loadFor } from "./open-tenon.js";
import { warn } from "./output.js";
import { toVisibleLine } from "../text/visible-text.js";

/** How often files are looked at; file systems that notify of changes reliably are not everywhere. */
const pollMs = 500;

export interface WatchedConfig {
  readonly terminal: Terminal;
  readonly flags: CommonFlags;
  readonly tenon: Tenon;
  /** The configuration that is in use. */
  readonly loaded: LoadedConfig;
}

/**
 * Take up changes of the configured MCP servers while Tenon runs. A configuration that cannot be used is reported,
 * and the one before it stays. Returns the function that ends it.
 */
export function watchConfig({ terminal, flags, tenon, loaded }: WatchedConfig): () => void {
  const files = filesToWatch(terminal, flags, loaded);
  let inUse = loaded;
  // Taken now, not at the first look: what changes in between must be noticed.
  const atStart = fingerprint(files);
  let used: string | undefined;
  let seen: string | undefined;
  let checking = false;
  const takeUp = async (): Promise<void> => {
    const next = await loadFor(terminal, flags);
    for (const warning of next.warnings) if (!inUse.warnings.includes(warning)) warn(terminal, warning);
    const before = inUse;
    inUse = next;
    const changes = await tenon.mcp.reconfigure(next.config.mcpServers);
    for (const line of describeChanges(changes)) terminal.stderr.write(`${toVisibleLine(line)}\n`);
    for (const { name, reason } of changes.failed) warn(terminal, `MCP server "${name}": ${reason}`);
    if (hasOtherChanges(before, next))
      warn(terminal, "Settings other than MCP servers have changed. Restart to apply them.");
  };
  const check = async (): Promise<void> => {
    const now = await fingerprint(files);
    used ??= await atStart;
    const isSettled = now === seen;
    seen = now;
    // A file that is still being written is left alone until it stays the same.
    if (now === used || !isSettled) return;
    used = now;
    await takeUp();
  };
  const timer = setInterval(() => {
    if (checking) return;
    checking = true;
    check()
      .catch((error: unknown) =>
        warn(
          terminal,
          `The changed configuration is not used. The previous one stays in effect. ${messageOf(error)}`,
        ),
      )
      .finally(() => (checking = false));
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

function filesToWatch(
  { env, cwd }: Terminal,
  { config }: CommonFlags,
  loaded: LoadedConfig,
): readonly string[] {
  const home = homedir();
  const named = config ?? (env["TENON_CONFIG"] || undefined);
  return [
    ...(named === undefined ? [] : [resolve(cwd, named.replace(/^~(?=\/)/, home))]),
    ...possibleFiles(userConfigDir(env, home), "config"),
    ...possibleFiles(loaded.config.workspaceDir ?? cwd, "tenon.config"),
    // Whether the workspace's file counts is said here.
    join(env["TENON_STATE_DIR"] || defaultStateDir(env, home), "trust"),
  ];
}

async function fingerprint(files: readonly string[]): Promise<string> {
  const states = await Promise.all(
    files.map(async (file) => {
      try {
        const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
        return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
      } catch (error) {
        return errnoOf(error) ?? "unknown";
      }
    }),
  );
  return states.join("\n");
}

function describeChanges({ added, changed, removed }: ServerChanges): readonly string[] {
  return Object.entries({ added, changed, removed }).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`MCP servers ${what}: ${names.join(", ")}`],
  );
}

function hasOtherChanges(before: LoadedConfig, after: LoadedConfig): boolean {
  const rest = ({ config: { mcpServers: _servers, ...others }, rules }: LoadedConfig): unknown => [
    others,
    rules,
  ];
  return !isDeepStrictEqual(rest(before), rest(after));
}
