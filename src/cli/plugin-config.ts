import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { userConfigDir } from "../config/folders.js";
import type { PluginEntry } from "../contract/plugin.js";
import { loadYaml } from "../text/libraries.js";
import { UsageError } from "./command-line.js";
import { makeFolder } from "../contract/make-folder.js";

type Entry = string | PluginEntry;

export interface ConfigLocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

const extensions = [".json", ".yml", ".yaml", ".ts", ".js", ".mjs"];

/** The user configuration file, or the one that would be created. */
export function userConfigFile({ env, home }: ConfigLocation): string {
  const stem = join(userConfigDir(env, home), "config");
  return (
    extensions.map((extension) => `${stem}${extension}`).find((file) => existsSync(file)) ?? `${stem}.json`
  );
}

/** Change the list of plugins in the user configuration; comments in a YAML file are kept. */
export function changePlugins(
  location: ConfigLocation,
  change: (entries: readonly Entry[]) => readonly Entry[],
): string {
  const file = userConfigFile(location);
  const extension = extname(file);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "{}\n";
  if (extension === ".json") writeAtomically(file, changeJson(file, text, change));
  else if (extension === ".yml" || extension === ".yaml") writeAtomically(file, changeYaml(text, change));
  else
    throw new UsageError(`${file} is a program and cannot be edited automatically. Edit its "plugins" list.`);
  return file;
}

/** Whether an entry of the file is this plugin; its paths are relative to the file. */
export function isEntryFor(file: string, entry: Entry, source: string): boolean {
  const path = typeof entry === "string" ? entry : entry.path;
  return path === source || (/^[.~/]/.test(path) && resolve(dirname(file), path) === source);
}

function changeJson(
  file: string,
  text: string,
  change: (entries: readonly Entry[]) => readonly Entry[],
): string {
  let config: { plugins?: readonly Entry[] };
  try {
    config = JSON.parse(text) as typeof config;
  } catch (cause) {
    throw new UsageError(`Cannot edit ${file}: invalid JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  return `${JSON.stringify({ ...config, plugins: change(config.plugins ?? []) }, null, indent)}\n`;
}

function changeYaml(text: string, change: (entries: readonly Entry[]) => readonly Entry[]): string {
  const { parseDocument } = loadYaml();
  const document = parseDocument(text);
  const config = (document.toJS() ?? {}) as { plugins?: readonly Entry[] };
  document.set("plugins", document.createNode(change(config.plugins ?? [])));
  return document.toString();
}

/** Written atomically: a half-written configuration would stop every start. */
function writeAtomically(file: string, text: string): void {
  makeFolder(dirname(file), 0o700);
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}
