import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { PresetHosts } from "../../contract/ports/processes.js";
import type { PresetName } from "../../contract/preset-names.js";
import { isWithin } from "../files/path-text.js";
import { presets } from "./presets.js";
import { addressesIn, hostOf, type ConfigSource, type ToolConfig } from "./tool-config.js";

/** Finds the hosts of presets for the commands of all sessions. */
export type PresetResolver = (request: PresetRequest) => Promise<PresetHosts>;

export interface PresetOptions {
  readonly home: string;
  readonly workspace: string;
  /** Of the host process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What finding the hosts of one command needs. */
export interface PresetRequest {
  readonly names: readonly PresetName[];
  /** The folder of the command. */
  readonly cwd: string;
  /** Folders that it goes to, absolute. @default none */
  readonly entered?: readonly string[] | undefined;
  /** The variables of the session. */
  readonly env: ReadonlyMap<string, string>;
  /** Run a command that prints addresses, without network; `undefined` if it cannot be run or fails. */
  readonly ask: (command: string) => Promise<string | undefined>;
}

/** Larger files are not configuration. */
const maxBytes = 1_000_000;

/** Find the hosts that tools need, from their own configuration; those that are built into them are asked for. */
export function createPresetResolver(options: PresetOptions): PresetResolver {
  /** What is built into a tool does not change while Tenon runs. */
  const answers = new Map<PresetName, readonly string[]>();
  const askFor = async (name: PresetName, { ask }: PresetRequest): Promise<readonly string[]> => {
    const { ask: command } = presets[name];
    const known = answers.get(name);
    if (known !== undefined || command === undefined) return known ?? [];
    const answer = await ask(command);
    const hosts = hostsOf({ addresses: addressesIn(answer ?? "") });
    if (hosts.length > 0) answers.set(name, hosts);
    return hosts;
  };
  return async (request) => {
    const source = sourceFor(options, request);
    const found = await Promise.all(
      request.names.map(async (name) => {
        const config: ToolConfig = await presets[name].read(source);
        const own = hostsOf(config);
        const hosts = own.length > 0 ? own : await askFor(name, request);
        return { name, hosts, variables: config.variables ?? {} };
      }),
    );
    return {
      hosts: [...new Set(found.flatMap(({ hosts }) => hosts))],
      variables: Object.fromEntries(found.flatMap(({ variables }) => Object.entries(variables))),
      unknown: found.filter(({ hosts }) => hosts.length === 0).map(({ name }) => name),
    };
  };
}

function hostsOf({ addresses }: ToolConfig): string[] {
  return [...new Set(addresses.flatMap((address) => hostOf(address) ?? []))];
}

function sourceFor({ home, env, workspace }: PresetOptions, request: PresetRequest): ConfigSource {
  return {
    home,
    env: { ...env, ...Object.fromEntries(request.env) },
    folders: foldersOf(request, workspace),
    // A configuration that is missing or cannot be read says nothing.
    read: async (path) => {
      // A link in the workspace could lead to anything.
      const look = isWithin(path, workspace) ? lstat : stat;
      const found = await look(path).catch(() => undefined);
      if (found?.isFile() !== true || found.size > maxBytes) return undefined;
      return readFile(path, "utf8").catch(() => undefined);
    },
    list: (path) => readdir(path).catch(() => []),
  };
}

/** More are not looked at. */
const maxEntered = 20;

function foldersOf({ cwd, entered = [] }: PresetRequest, workspace: string): string[] {
  const inside = entered.filter((folder) => isWithin(folder, workspace)).slice(0, maxEntered);
  return [...new Set([cwd, ...inside].flatMap((folder) => foldersAbove(folder, workspace)))];
}

function foldersAbove(cwd: string, workspace: string): string[] {
  const folders: string[] = [];
  for (let at = cwd; isWithin(at, workspace); at = dirname(at)) {
    folders.push(at);
    if (at === dirname(at)) break;
  }
  return folders.length === 0 ? [cwd] : folders;
}
