import { ToolResourceNotFoundError } from "../contract/errors.js";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { editServers, removableServers, type ServerEdit } from "../config/edit-servers.js";
import { userConfigDir } from "../config/folders.js";
import { importServers } from "../config/import-servers.js";
import { readServer } from "../config/read-server.js";
import type { McpServerConfig } from "../config/server-schema.js";
import { UsageError, type CommonFlags, type Terminal } from "./command-line.js";
import { withTenon } from "./open-tenon.js";
import { warn, writeResult } from "./output.js";
import { readHostFile } from "./read-host-file.js";
import type { SandboxFlags } from "./sandbox-access.js";
import { tryServers, type TriedServers } from "./sandbox-servers.js";
import { toVisibleLine, toVisibleText } from "../text/visible-text.js";

export interface AddFlags extends ForceFlags {
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly cwd?: string;
  readonly transport?: string;
}

export interface ForceFlags extends SandboxFlags {
  readonly force?: boolean;
}

/** Add a server to the user configuration. */
export async function addServer(
  terminal: Terminal,
  { name, words }: { readonly name: string; readonly words: readonly string[] },
  flags: AddFlags,
): Promise<void> {
  const read = readServer(name, fromFlags(terminal, words, flags));
  if (!read.ok) throw new UsageError(read.reason);
  // Before the trial, which may take minutes and asks questions.
  const taken = flags.force === true ? new Set<string>() : await removableServers(configDir(terminal));
  if (taken.has(name)) throw nameTaken("Your configuration", name);
  const { servers, settled } = await tryServers(terminal, { [name]: read.server }, flags);
  const edit = await editConfig(terminal, servers, flags);
  if (edit.done && edit.kept.length > 0) throw nameTaken(edit.file, name);
  reportAdded(terminal, flags, { edit, names: [name], left: [], settled });
}

/** Add the servers of another MCP host's configuration file. */
export async function importServerFile(terminal: Terminal, file: string, flags: ForceFlags): Promise<void> {
  const { servers, left } = importServers(await readHostFile(resolve(terminal.cwd, file)), terminal.env);
  const found = Object.keys(servers);
  const { servers: entries, settled } = await tryServers(terminal, servers, flags);
  const edit = await editConfig(terminal, entries, flags);
  const kept = edit.done ? edit.kept : [];
  const notes = [...left, ...kept.map((name) => `"${name}" already exists (use --force to replace it)`)];
  if (flags.json !== true) for (const line of notes) warn(terminal, toVisibleLine(line));
  if (found.length === 0) throw new UsageError(`${file} has no servers that can be imported.`);
  const names = found.filter((name) => !kept.includes(name));
  reportAdded(terminal, flags, { edit, names, left: notes, settled });
}

/** Remove a server from the user configuration, and forget what was accepted from it. */
export async function removeServer(terminal: Terminal, name: string, flags: CommonFlags): Promise<void> {
  const edit = await editConfig(terminal, { [name]: undefined }, {});
  if (edit.done && !edit.changed)
    throw new ToolResourceNotFoundError(`MCP server "${name}" not found in ${edit.file}.`, {
      hint: "Run: tenon mcp-servers list",
    });
  await withTenon(terminal, flags, ({ tenon }) => tenon.mcp.forget(name));
  const text = edit.done ? `Removed ${name} (${edit.file}).` : editByHand(edit, `Remove "${name}" from`);
  writeResult({ terminal, flags }, { ...edit, names: [name] }, () => toVisibleText(text));
}

/** A program or an address; flags of the other kind would be silently lost. */
function fromFlags(terminal: Terminal, words: readonly string[], flags: AddFlags): unknown {
  const [command, ...args] = words;
  const { url, transport, env, header, cwd } = flags;
  if (command === undefined && url === undefined)
    throw new UsageError(
      "Specify what to start or to connect to: a command (tenon mcp-servers add NAME -- COMMAND …) or --url ADDRESS.",
    );
  if (command !== undefined && url !== undefined)
    throw new UsageError("Pass either a command or --url, not both.");
  const stray = Object.entries(
    command === undefined ? { "--env": env, "--cwd": cwd } : { "--header": header, "--transport": transport },
  ).find(([, value]) => value !== undefined);
  if (stray !== undefined) {
    throw new UsageError(
      `${stray[0]} can only be used with ${command === undefined ? "a command" : "--url"}.`,
    );
  }
  const server =
    command === undefined
      ? { url, headers: parsePairs(header, "--header"), transport }
      : {
          command: command.includes("/") ? wholePath(terminal, command, cwd) : command,
          args: args.map((word) => wholePath(terminal, word, cwd)),
          env: parsePairs(env, "--env"),
          cwd: cwd && resolve(terminal.cwd, cwd),
        };
  return Object.fromEntries(Object.entries(server).filter(([, value]) => value !== undefined));
}

/** A file of the current folder by its whole path: the entry is for every workspace, and for the sandbox. */
function wholePath(terminal: Terminal, word: string, cwd: string | undefined): string {
  const path = resolve(terminal.cwd, cwd ?? ".", word);
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : word;
}

function editConfig(
  terminal: Terminal,
  changes: Readonly<Record<string, McpServerConfig | undefined>>,
  { force = false }: ForceFlags,
): Promise<ServerEdit> {
  return editServers(configDir(terminal), changes, { replace: force });
}

function configDir({ env }: Terminal): string {
  return userConfigDir(env, homedir());
}

function nameTaken(where: string, name: string): UsageError {
  return new UsageError(`${where} already has a server named "${name}". Use --force to replace it.`);
}

interface AddedServers {
  readonly edit: ServerEdit;
  readonly names: readonly string[];
  readonly left: readonly string[];
  readonly settled: TriedServers["settled"];
}

function reportAdded(
  terminal: Terminal,
  flags: CommonFlags,
  { edit, names, left, settled }: AddedServers,
): void {
  const [first = ""] = names;
  const next = names.length === 1 ? `test ${first}` : "list";
  const text = !edit.done
    ? editByHand(edit, "Add this to")
    : names.length === 0
      ? `Nothing added (${edit.file}).`
      : `Added ${names.join(", ")} (${edit.file}). Try: tenon mcp-servers ${next}`;
  const sandbox = Object.keys(settled).length === 0 ? {} : { sandbox: settled };
  writeResult({ terminal, flags }, { ...edit, names, left, ...sandbox }, () => toVisibleText(text));
}

function editByHand({ file, snippet }: Extract<ServerEdit, { done: false }>, what: string): string {
  return `${what} ${file} by hand, because it is a program:\n${snippet}`;
}

function parsePairs(words: readonly string[] | undefined, flag: string): Record<string, string> | undefined {
  if (words === undefined) return undefined;
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at < 1) throw new UsageError(`Invalid ${flag} "${word}" (expected key=value).`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
