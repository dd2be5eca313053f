import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../../contract/make-folder.js";
import { findProgram } from "../find-program.js";
import { looseCaches, type ProfileName, profiles } from "../profiles.js";
import { cacheFiles } from "./cache-files.js";
import { wheelScript, wheelsFolder } from "./pip-wheels.js";
import { pruneCaches } from "./prune-caches.js";

/** What tool chains downloaded for the commands of a workspace. */
export interface WorkspaceCaches {
  readonly dir: string;
  /** What a command needs to use them. */
  open(hasNetwork: boolean): Promise<OpenCaches>;
  /** A command starts; must be told when it has ended. */
  begin(): (ended: EndedCommand) => Promise<void>;
}

export interface OpenCaches {
  /** The arguments of bubblewrap that mount the caches in the home folder. */
  readonly mounts: readonly string[];
  /** Variables that the command can override. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface EndedCommand {
  readonly hadNetwork: boolean;
  /** Run a program in the sandbox, without network. */
  readonly run: (argv: readonly string[]) => Promise<unknown>;
}

/** How much is kept. */
export interface CacheLimits {
  readonly maxBytes: number;
}

interface CacheFolder {
  /** Relative to the home folder. */
  readonly name: string;
  /** Outside, for this workspace only. */
  readonly own: string;
  /** That of the user; inside, the cache is at the same path. */
  readonly path: string;
  isUsed: boolean;
}

export interface CacheOptions {
  readonly dir: string;
  readonly home: string;
  readonly profiles: readonly ProfileName[];
  /** The PATH of the host. */
  readonly path: string | undefined;
  readonly limits: CacheLimits;
}

const pipCache = ".cache/pip";

/** Prepare the caches of a workspace; their folders are created with the first command. */
export function openWorkspaceCaches(options: CacheOptions): WorkspaceCaches {
  const folders = foldersOf(options);
  const pip = folders.find(({ name }) => name === pipCache);
  let isCreated = false;
  const create = (): void => {
    if (!isCreated) for (const { own } of folders) makeFolder(own, 0o700);
    isCreated = true;
  };
  let running = 0;
  let pruning: Promise<unknown> = Promise.resolve();
  let pipChangedAt = 0;
  const prune = async (): Promise<void> => {
    const caches = folders.map(({ own, name }) => ({ dir: own, isLoose: looseCaches.has(name) }));
    const removed = await pruneCaches(caches, options.limits.maxBytes);
    if (removed > 0) for (const folder of folders) folder.isUsed = false;
  };
  const keepWheels = async ({ run }: EndedCommand): Promise<void> => {
    if (pip === undefined) return;
    const changedAt = await latestChange(pip.own);
    if (changedAt <= pipChangedAt) return;
    await run(["python3", "-c", wheelScript]);
    pipChangedAt = await latestChange(pip.own);
  };
  return {
    dir: options.dir,
    async open(hasNetwork) {
      create();
      await pruning;
      const mounts = await Promise.all(folders.map((folder) => mountsOf(folder, hasNetwork)));
      const hasWheels = !hasNetwork && pip?.isUsed === true && (await isFolder(join(pip.own, wheelsFolder)));
      return {
        mounts: mounts.flat(),
        variables: hasWheels ? { PIP_FIND_LINKS: join(pip.path, wheelsFolder) } : {},
      };
    },
    begin() {
      running += 1;
      return async (ended) => {
        running -= 1;
        if (!ended.hadNetwork) return;
        await keepWheels(ended);
        // What a running command reads stays where it is.
        if (running === 0) pruning = pruning.then(prune).catch(() => {}); // files that cannot be removed stay
      };
    },
  };
}

/** For programs that share none of them; `dir` is where those of commands are. */
export function noCaches(dir: string): WorkspaceCaches {
  return { dir, open: async () => ({ mounts: [], variables: {} }), begin: () => async () => {} };
}

function foldersOf(options: CacheOptions): readonly CacheFolder[] {
  // Each mount takes time, so caches of programs that are not there are left out.
  const isThere = (program: string): boolean =>
    findProgram(program, { path: options.path, untrusted: [] }) !== undefined;
  const caches = new Map(options.profiles.flatMap((name) => Object.entries<string>(profiles[name].caches)));
  const programs = new Set([...new Set(caches.values())].filter(isThere));
  return [...caches].flatMap(([name, program]) => {
    const own = join(options.dir, name.replaceAll("/", "-"));
    return programs.has(program) ? [{ name, own, path: join(options.home, name), isUsed: false }] : [];
  });
}

async function mountsOf(folder: CacheFolder, hasNetwork: boolean): Promise<string[]> {
  if (hasNetwork || (await hasDownloads(folder))) return ["--bind", folder.own, folder.path];
  // Nothing can be downloaded without network, and each mount takes time.
  return (await isFolder(folder.path)) ? ["--ro-bind-try", folder.path, folder.path] : [];
}

/** Only pruning removes what was downloaded, so it is looked for only once. */
async function hasDownloads(folder: CacheFolder): Promise<boolean> {
  folder.isUsed ||= (await readdir(folder.own)).length > 0;
  return folder.isUsed;
}

/** The target of a link must not be made visible this way. */
async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

async function latestChange(dir: string): Promise<number> {
  let latest = 0;
  for await (const { changedAt } of cacheFiles(dir)) latest = Math.max(latest, changedAt);
  return latest;
}
