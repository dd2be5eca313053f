import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, resolve } from "node:path";
import type * as Yaml from "yaml";
import { userConfigDir } from "../config/folders.js";
import type { PluginEntry } from "../contract/plugin.js";
import { UsageError } from "./command-line.js";

type Entry = string | PluginEntry;

export interface ConfigPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

const endings = [".json", ".yml", ".yaml", ".ts", ".js", ".mjs"];

/** The person's own configuration file; the one that would be made where there is none. */
export function userConfigFile({ env, home }: ConfigPlace): string {
  const stem = join(userConfigDir(env, home), "config");
  return endings.map((ending) => `${stem}${ending}`).find((file) => existsSync(file)) ?? `${stem}.json`;
}

/** Change the list of plugins in the person's own configuration; comments of a YAML file stay. */
export function changePlugins(
  place: ConfigPlace,
  change: (entries: readonly Entry[]) => readonly Entry[],
): string {
  const file = userConfigFile(place);
  const ending = extname(file);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "{}\n";
  if (ending === ".json") writeWhole(file, changeJson(file, text, change));
  else if (ending === ".yml" || ending === ".yaml") writeWhole(file, changeYaml(text, change));
  else throw new UsageError(`${file} is a program, which only you can change. Edit its "plugins" list.`);
  return file;
}

/** Whether an entry of the file names this plugin; paths in it start at its folder. */
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
    throw new UsageError(`${file} is no plain JSON and cannot be changed: ${(cause as Error).message}`, {
      cause,
    });
  }
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  return `${JSON.stringify({ ...config, plugins: change(config.plugins ?? []) }, null, indent)}\n`;
}

function changeYaml(text: string, change: (entries: readonly Entry[]) => readonly Entry[]): string {
  const { parseDocument } = createRequire(import.meta.url)("yaml") as typeof Yaml;
  const document = parseDocument(text);
  const config = (document.toJS() ?? {}) as { plugins?: readonly Entry[] };
  document.set("plugins", document.createNode(change(config.plugins ?? [])));
  return document.toString();
}

/** All of it or nothing: a half-written configuration would stop every start. */
function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}
