import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { type ProfileName, profiles } from "./profiles.js";

export interface HomeOptions {
  readonly home: string;
  /** The person's PATH; never the command's, or a command could open any folder by naming it there. */
  readonly path: string | undefined;
  readonly profiles: readonly ProfileName[];
  /** Roots that are visible already, or must not be opened this way. */
  readonly known: readonly string[];
}

/** What of the person's tool chains exists, as absolute paths. */
export interface HomeView {
  readonly programs: readonly string[];
  readonly caches: readonly string[];
}

/** Look once at which tool chains the person has. */
export async function viewHome(options: HomeOptions): Promise<HomeView> {
  const chosen = options.profiles.map((name) => profiles[name]);
  const inHome = (names: readonly string[]): string[] => names.map((name) => join(options.home, name));
  const [programs, caches, onPath] = await Promise.all([
    existing(inHome(chosen.flatMap((profile) => profile.programs))),
    existing(inHome(chosen.flatMap((profile) => profile.caches))),
    pathFolders(options),
  ]);
  return { programs: outermost([...programs, ...onPath]), caches };
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        // A link would have to be mounted where it leads to, which is not ours to open.
        (stats) => (stats.isDirectory() || stats.isFile() ? [path] : []),
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** The folders on the PATH that no root shows, each with the libraries beside it. */
async function pathFolders({ path = "", home, known }: HomeOptions): Promise<string[]> {
  const folders = path.split(":").filter((folder) => isAbsolute(folder) && folder !== "/");
  const outside = [...new Set(folders.map((folder) => realPathOf(folder)))].filter(
    (folder) => !known.some((root) => isWithin(folder, root)) && !isWithin(home, folder),
  );
  const found = await existing(outside);
  return Promise.all(found.map((folder) => withLibraries(folder, home, known)));
}

/** `prefix/bin` beside `prefix/lib` is a tool chain of its own: npm is a link into ../lib. */
async function withLibraries(folder: string, home: string, known: readonly string[]): Promise<string> {
  const prefix = dirname(folder);
  const holdsMore = isWithin(home, prefix) || known.some((root) => isWithin(root, prefix));
  if (holdsMore || !["bin", "sbin"].includes(basename(folder)) || prefix === join(home, ".local"))
    return folder;
  const beside = await readdir(prefix).catch((): string[] => []);
  return beside.includes("lib") || beside.includes("libexec") ? prefix : folder;
}

/** Without those that lie in another one. */
export function outermost(paths: readonly string[]): string[] {
  const distinct = [...new Set(paths)];
  return distinct.filter((path) => !distinct.some((other) => other !== path && isWithin(path, other)));
}
