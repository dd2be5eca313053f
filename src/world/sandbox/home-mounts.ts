import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { type ProfileName, profiles } from "./profiles.js";

export interface HomeOptions {
  readonly home: string;
  /** The PATH of the host, never that of the command, which could name any folder in it. */
  readonly path: string | undefined;
  readonly profiles: readonly ProfileName[];
  /** Roots that are already visible, or must not be opened this way. */
  readonly known: readonly string[];
}

/** The existing tool chains of the user, as absolute paths. */
export interface HomeView {
  readonly programs: readonly string[];
}

/** Find the tool chains of the user. */
export async function viewHome(options: HomeOptions): Promise<HomeView> {
  const chosen = options.profiles.map((name) => profiles[name]);
  const inHome = (names: readonly string[]): string[] => names.map((name) => join(options.home, name));
  const [programs, onPath] = await Promise.all([
    existing(inHome(chosen.flatMap((profile) => profile.programs))),
    pathFolders(options),
  ]);
  return { programs: outermost([...programs, ...onPath]) };
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        // The target of a link must not be made visible this way.
        (stats) => (stats.isDirectory() || stats.isFile() ? [path] : []),
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** The folders on the PATH that are not visible yet, each with the libraries next to it. */
async function pathFolders({ path = "", home, known }: HomeOptions): Promise<string[]> {
  const folders = path.split(":").filter((folder) => isAbsolute(folder) && folder !== "/");
  const outside = [...new Set(folders.map((folder) => realPathOf(folder)))].filter(
    (folder) => !known.some((root) => isWithin(folder, root)) && !isWithin(home, folder),
  );
  const found = await existing(outside);
  return Promise.all(found.map((folder) => withLibraries(folder, home, known)));
}

/** `prefix/bin` next to `prefix/lib` is a tool chain: npm, for example, is a link into ../lib. */
async function withLibraries(folder: string, home: string, known: readonly string[]): Promise<string> {
  const prefix = dirname(folder);
  const holdsMore = isWithin(home, prefix) || known.some((root) => isWithin(root, prefix));
  if (holdsMore || !["bin", "sbin"].includes(basename(folder)) || prefix === join(home, ".local"))
    return folder;
  const beside = await readdir(prefix).catch((): string[] => []);
  return beside.includes("lib") || beside.includes("libexec") ? prefix : folder;
}

/** Without paths that are inside of another one. */
export function outermost(paths: readonly string[]): string[] {
  const distinct = [...new Set(paths)];
  return distinct.filter((path) => !distinct.some((other) => other !== path && isWithin(path, other)));
}
