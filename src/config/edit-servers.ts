import { readFile, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxAccess } from "../contract/ports/upstream.js";
import { loadYaml } from "../text/libraries.js";
import type { McpServerConfig } from "./server-schema.js";
import { isRecord } from "../contract/is-record.js";
import { makeFolder } from "../contract/make-folder.js";

/** What became of a change of the person's own configuration. */
export type ServerEdit =
  | {
      readonly done: true;
      readonly file: string;
      readonly changed: boolean;
      /** Servers that were there already and stay as they are. */
      readonly kept: readonly string[];
    }
  /** The file is a program: the person puts the text in by hand. */
  | { readonly done: false; readonly file: string; readonly snippet: string };

const names = ["config.ts", "config.js", "config.yml", "config.yaml", "config.json"];

/** Add, replace or remove (`undefined`) servers in the user's configuration; everything else stays unchanged. */
export async function editServers(
  folder: string,
  changes: Readonly<Record<string, McpServerConfig | undefined>>,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<ServerEdit> {
  const { file, before } = await findConfig(folder);
  if (isProgram(file))
    return { done: false, file, snippet: JSON.stringify({ mcpServers: changes }, undefined, 2) };
  const edit = file.endsWith(".json") ? editJson : editYaml;
  const { after, kept } = edit(before, changes, replace);
  if (after === before) return { done: true, file, changed: false, kept };
  await writeConfig(folder, file, after);
  return { done: true, file, changed: true, kept };
}

/** The file that `editServers` changes or would make; `undefined` where it is a program. */
export async function editableConfig(folder: string): Promise<string | undefined> {
  const { file } = await findConfig(folder);
  return isProgram(file) ? undefined : file;
}

/** The servers that `editServers` can remove: those of the user's configuration, unless it is a program. */
export async function removableServers(folder: string): Promise<ReadonlySet<string>> {
  const { before } = await findConfig(folder);
  // JSON is YAML, too.
  const config: unknown = loadYaml().parseDocument(before).toJS();
  return new Set(isRecord(config) && isRecord(config["mcpServers"]) ? Object.keys(config["mcpServers"]) : []);
}

/** The user's configuration file, or the one that would be made; a program is not read. */
async function findConfig(folder: string): Promise<{ readonly file: string; readonly before: string }> {
  const there = await readdir(folder).catch(() => [] as string[]);
  const name = names.find((one) => there.includes(one)) ?? "config.yml";
  const file = join(folder, name);
  const isText = there.includes(name) && !isProgram(name);
  return { file, before: isText ? await readFile(file, "utf8") : "" };
}

function isProgram(file: string): boolean {
  return /\.[tj]s$/.test(file);
}

/** Whole or not at all: a half-written configuration would lock the person out. */
async function writeConfig(folder: string, file: string, text: string): Promise<void> {
  makeFolder(folder, 0o700);
  const draft = `${file}.${process.pid}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
}

/** Set `sandbox` in the entry of a server in the user's configuration; everything else stays unchanged. */
export async function setServerSandbox(
  folder: string,
  name: string,
  access: SandboxAccess,
): Promise<ServerEdit> {
  const place = await findConfig(folder);
  const { file, before } = place;
  const snippet = JSON.stringify({ mcpServers: { [name]: { sandbox: access } } }, undefined, 2);
  if (isProgram(file)) return { done: false, file, snippet };
  const after = file.endsWith(".json") ? setInJson(before, name, access) : setInYaml(before, name, access);
  if (after === undefined) return { done: false, file, snippet };
  await writeConfig(folder, file, after);
  return { done: true, file, changed: after !== before, kept: [] };
}

function setInJson(text: string, name: string, access: SandboxAccess): string | undefined {
  const config = (text.trim() === "" ? {} : JSON.parse(text)) as { mcpServers?: Record<string, object> };
  const { mcpServers = {} } = config;
  if (!Object.hasOwn(mcpServers, name)) return undefined;
  const servers = { ...mcpServers, [name]: { ...mcpServers[name], sandbox: access } };
  return toJson({ ...config, mcpServers: servers }, text);
}

function setInYaml(text: string, name: string, access: SandboxAccess): string | undefined {
  const { parseDocument } = loadYaml();
  const document = parseDocument(text);
  if (document.errors.length > 0) throw document.errors[0] as Error;
  if (!document.hasIn(["mcpServers", name])) return undefined;
  document.setIn(["mcpServers", name, "sandbox"], document.createNode(access));
  return document.toString({ lineWidth: 0 });
}

type Changes = Readonly<Record<string, McpServerConfig | undefined>>;

interface Edited {
  readonly after: string;
  readonly kept: readonly string[];
}

/** Comments and order stay. */
function editYaml(text: string, changes: Changes, replace: boolean): Edited {
  const { parseDocument, isMap } = loadYaml();
  const document = parseDocument(text);
  if (document.errors.length > 0) throw document.errors[0] as Error;
  const servers = document.get("mcpServers");
  // `{}`, as removing the last server leaves it, would put all that is added into one line.
  if (isMap(servers) && servers.items.length === 0) servers.flow = false;
  if (document.contents === null) document.contents = document.createNode({}) as never;
  const kept: string[] = [];
  let changed = false;
  for (const [name, server] of Object.entries(changes)) {
    const there = document.hasIn(["mcpServers", name]);
    if (server !== undefined && there && !replace) {
      kept.push(name);
      continue;
    }
    if (server !== undefined) document.setIn(["mcpServers", name], document.createNode(server));
    else if (there) document.deleteIn(["mcpServers", name]);
    changed ||= server !== undefined || there;
  }
  return { after: changed ? document.toString({ lineWidth: 0 }) : text, kept };
}

function editJson(text: string, changes: Changes, replace: boolean): Edited {
  const config = (text.trim() === "" ? {} : JSON.parse(text)) as { mcpServers?: Record<string, unknown> };
  const servers = { ...config.mcpServers };
  const kept: string[] = [];
  let changed = false;
  for (const [name, server] of Object.entries(changes)) {
    const there = Object.hasOwn(servers, name);
    if (server !== undefined && there && !replace) {
      kept.push(name);
      continue;
    }
    if (server !== undefined) servers[name] = server;
    else delete servers[name];
    changed ||= server !== undefined || there;
  }
  return { after: changed ? toJson({ ...config, mcpServers: servers }, text) : text, kept };
}

/** As JSON, indented like the text before. */
function toJson(value: object, before: string): string {
  const indent = /^\{\s*\n([ \t]+)/.exec(before)?.[1] ?? "  ";
  return `${JSON.stringify(value, undefined, indent)}\n`;
}
