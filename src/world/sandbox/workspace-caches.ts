import { lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "./find-program.js";
import { type ProfileName, profiles } from "./profiles.js";

/** What tool chains downloaded for the commands of a workspace. */
export interface WorkspaceCaches {
  readonly dir: string;
  /** The arguments of bubblewrap that mount the caches in the home folder. */
  mounts(hasNetwork: boolean): Promise<string[]>;
}

interface CacheFolder {
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
}

/** Prepare the caches of a workspace; their folders are created with the first command. */
export function openWorkspaceCaches(options: CacheOptions): WorkspaceCaches {
  // Each mount takes time, so caches of programs that are not there are left out.
  const isThere = (program: string): boolean =>
    findProgram(program, { path: options.path, untrusted: [] }) !== undefined;
  const caches = new Map(options.profiles.flatMap((name) => Object.entries<string>(profiles[name].caches)));
  const programs = new Set([...new Set(caches.values())].filter(isThere));
  const names = [...caches].flatMap(([name, program]) => (programs.has(program) ? [name] : []));
  const folders = names.map((name): CacheFolder => ({
    own: join(options.dir, name.replaceAll("/", "-")),
    path: join(options.home, name),
    isUsed: false,
  }));
  let creating: Promise<unknown> | undefined;
  const create = (): Promise<unknown> =>
    (creating ??= Promise.all(folders.map(({ own }) => mkdir(own, { recursive: true, mode: 0o700 }))));
  return {
    dir: options.dir,
    async mounts(hasNetwork) {
      await create();
      const mounted = await Promise.all(
        folders.map(async (folder) => {
          if (hasNetwork || (await hasDownloads(folder))) return ["--bind", folder.own, folder.path];
          // Nothing can be downloaded without network, and each mount takes time.
          return (await isFolder(folder.path)) ? ["--ro-bind-try", folder.path, folder.path] : [];
        }),
      );
      return mounted.flat();
    },
  };
}

/** Something that was downloaded is never removed while Tenon runs, so it is looked for only once. */
async function hasDownloads(folder: CacheFolder): Promise<boolean> {
  folder.isUsed ||= (await readdir(folder.own)).length > 0;
  return folder.isUsed;
}

/** The target of a link must not be made visible this way. */
async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}
