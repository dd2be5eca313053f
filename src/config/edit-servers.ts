import { mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { McpServerConfig } from "./server-schema.js";

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
  const there = await readdir(folder).catch(() => [] as string[]);
  const name = names.find((one) => there.includes(one)) ?? "config.yml";
  const file = join(folder, name);
  if (/\.[tj]s$/.test(name))
    return { done: false, file, snippet: JSON.stringify({ mcpServers: changes }, undefined, 2) };
  const before = there.includes(name) ? await readFile(file, "utf8") : "";
  const edit = name.endsWith(".json") ? editJson : editYaml;
  const { after, kept } = await edit(before, changes, replace);
  if (after === before) return { done: true, file, changed: false, kept };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Whole or not at all: a half-written configuration would lock the person out.
  const draft = `${file}.${process.pid}.new`;
  await writeFile(draft, after, { mode: 0o600 });
  await rename(draft, file);
  return { done: true, file, changed: true, kept };
}

type Changes = Readonly<Record<string, McpServerConfig | undefined>>;

interface Edited {
  readonly after: string;
  readonly kept: readonly string[];
}

/** Comments and order stay. */
async function editYaml(text: string, changes: Changes, replace: boolean): Promise<Edited> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  if (document.errors.length > 0) throw document.errors[0] as Error;
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
  const indent = /^\{\s*\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  const whole = `${JSON.stringify({ ...config, mcpServers: servers }, undefined, indent)}\n`;
  return { after: changed ? whole : text, kept };
}
