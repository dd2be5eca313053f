import { dirname } from "node:path";
import { printable } from "./config-error.js";
import type { Environment } from "./interpolate.js";
import { loadSource, type LoadedSource } from "./load-source.js";
import { mergeLayers } from "./merge-layers.js";
import { toNormal, type NormalConfig } from "./normal-config.js";
import type { LocatedSource } from "./place-of.js";
import { readFolderConfig, type ConfigFile } from "./read-file.js";
import { withUniqueIds } from "./unique-ids.js";
import { freezeResolved } from "./resolve-config.js";
import type { PolicyRule } from "./rule-schema.js";
import { tighten } from "./tighten.js";

/** A workspace's file that nobody has trusted, and the keys that were left out for it. */
export interface UntrustedConfig {
  readonly file: string;
  /** What to trust: the file in exactly this form. */
  readonly digest: string;
  readonly ignored: readonly string[];
}

/** What the workspace's own file adds. */
export interface WorkspaceLayer {
  readonly from: ConfigFile;
  /** The person's own configuration with the workspace's. */
  readonly merged: NormalConfig;
  readonly rules: readonly PolicyRule[];
  readonly located?: readonly LocatedSource[];
  readonly untrusted?: UntrustedConfig;
  readonly warning?: string;
}

interface WorkspaceOptions {
  readonly folder: string;
  readonly own: NormalConfig;
  /** Identities of files that the person named; one of them in the workspace is not read again. */
  readonly named: readonly string[];
  /** Names of the person's own rules. */
  readonly taken: Set<string>;
  readonly env: Environment;
  readonly home: string;
  readonly trusted: (workspace: string, configDigest: string) => boolean;
}

/** Read the workspace's own file: all of it if it is trusted, else only what makes things stricter. */
export async function loadWorkspace(options: WorkspaceOptions): Promise<WorkspaceLayer | undefined> {
  const from = await readFolderConfig(options.folder, "tenon.config");
  if (from === undefined || options.named.includes(from.identity)) return undefined;
  // Only the word itself counts: a promise, or anything else that is merely truthy, is no trust.
  const trust: unknown = options.trusted(options.folder, from.digest);
  if (trust === true) return loadTrusted(from, options);
  if (from.format === "js" || from.format === "ts") return leaveOut(from, options);
  return loadUntrusted(from, options);
}

async function loadTrusted(from: ConfigFile, options: WorkspaceOptions): Promise<WorkspaceLayer> {
  const { own, env } = options;
  const source = await loadSource(from, env);
  const layer = toLayer(from, source, options);
  const located = [{ ...source, file: from.file }];
  return { from, merged: mergeLayers([own, layer]), rules: layer.policy?.rules ?? [], located };
}

function toLayer(
  from: ConfigFile,
  { config, positionOf }: LoadedSource,
  { home, taken }: WorkspaceOptions,
): NormalConfig {
  const normal = toNormal(config, { file: from.file, folder: dirname(from.file), home, positionOf });
  return withUniqueIds(normal, "workspace", taken);
}

/** To run its code is what trust is about. */
function leaveOut(from: ConfigFile, { own }: WorkspaceOptions): WorkspaceLayer {
  const warning = `${printable(from.file, 1000)} is code that is not trusted, so it was not run. Review it, then accept it with "tenon trust".`;
  return { from, merged: own, rules: [], untrusted: freeze(from, ["(the whole file)"]), warning };
}

async function loadUntrusted(from: ConfigFile, options: WorkspaceOptions): Promise<WorkspaceLayer> {
  const { own } = options;
  const source = await loadSource(from, undefined);
  const { held } = source;
  const layer = toLayer(from, source, options);
  const stricter = tighten(layer, freezeResolved(structuredClone(own)));
  const { policy, ...rest } = stricter.config;
  const rules = policy?.rules ?? [];
  // On top, since it holds only what is stricter; its rules below, since the first match decides.
  const merged = mergeLayers([rest, own, { policy: { rules } }]);
  const ignored = [...stricter.ignored, ...held.map((path) => `${path} (refers to the environment)`)];
  const untrusted = freeze(
    from,
    ignored.map((path) => printable(path)),
  );
  const located = [{ ...source, file: from.file }];
  return { from, merged, rules, located, untrusted, ...(ignored.length > 0 && { warning: warn(untrusted) }) };
}

function freeze({ file, digest }: ConfigFile, ignored: readonly string[]): UntrustedConfig {
  return Object.freeze({ file, digest, ignored: Object.freeze(ignored) });
}

function warn({ file, ignored }: UntrustedConfig): string {
  const names = ignored.slice(0, 20).join(", ");
  const more = ignored.length > 20 ? ` and ${ignored.length - 20} more` : "";
  return `${printable(file, 1000)} is not trusted, so it may only make settings stricter. Ignored: ${names}${more}. Review it, then accept it with "tenon trust".`;
}
