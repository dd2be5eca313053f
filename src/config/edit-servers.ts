import { mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { McpServerConfig } from "./server-schema.js";

/** What became of a change of the person's own configuration. */
export type ServerEdit =
  | { readonly done: true; readonly file: string; readonly changed: boolean }
  /** The file is a program: the person puts the text in by hand. */
  | { readonly done: false; readonly file: string; readonly snippet: string };

const names = ["config.ts", "config.js", "config.yml", "config.yaml", "config.json"];

/** Write servers into the person's configuration, or take them out (`undefined`), and leave all else as it is. */
export async function editServers(
  folder: string,
  changes: Readonly<Record<string, McpServerConfig | undefined>>,
): Promise<ServerEdit> {
  const there = await readdir(folder).catch(() => [] as string[]);
  const name = names.find((one) => there.includes(one)) ?? "config.yml";
  const file = join(folder, name);
  if (/\.[tj]s$/.test(name))
    return { done: false, file, snippet: JSON.stringify({ mcpServers: changes }, undefined, 2) };
  const before = there.includes(name) ? await readFile(file, "utf8") : "";
  const after = name.endsWith(".json") ? editJson(before, changes) : await editYaml(before, changes);
  if (after === before) return { done: true, file, changed: false };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Whole or not at all: a half-written configuration would lock the person out.
  const draft = `${file}.${process.pid}.new`;
  await writeFile(draft, after, { mode: 0o600 });
  await rename(draft, file);
  return { done: true, file, changed: true };
}

type Changes = Readonly<Record<string, McpServerConfig | undefined>>;

/** Comments and order stay. */
async function editYaml(text: string, changes: Changes): Promise<string> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  if (document.errors.length > 0) throw document.errors[0] as Error;
  if (document.contents === null) document.contents = document.createNode({}) as never;
  for (const [name, server] of Object.entries(changes)) {
    if (server !== undefined) document.setIn(["mcpServers", name], document.createNode(server));
    else if (document.hasIn(["mcpServers", name])) document.deleteIn(["mcpServers", name]);
    else return text;
  }
  return document.toString({ lineWidth: 0 });
}

function editJson(text: string, changes: Changes): string {
  const config = (text.trim() === "" ? {} : JSON.parse(text)) as { mcpServers?: Record<string, unknown> };
  const servers = { ...config.mcpServers };
  for (const [name, server] of Object.entries(changes)) {
    if (server !== undefined) servers[name] = server;
    else if (Object.hasOwn(servers, name)) delete servers[name];
    else return text;
  }
  const indent = /^\{\s*\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  return `${JSON.stringify({ ...config, mcpServers: servers }, undefined, indent)}\n`;
}
