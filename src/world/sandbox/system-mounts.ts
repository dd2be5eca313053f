import type { Dirent } from "node:fs";
import { access, constants, lstat, readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";

/** The read-only system that every command sees, as arguments of bubblewrap. */
export interface SystemView {
  readonly mounts: readonly string[];
  /** The visible folders of the system. */
  readonly roots: readonly string[];
}

/** Programs and libraries: symbolic links on most systems, folders on some. */
const programFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Further folders with programs and their configuration. */
const otherFolders = [
  "/etc",
  "/opt",
  "/nix/store",
  "/nix/var/nix/profiles",
  "/gnu/store",
  "/snap",
  "/run/current-system",
  "/home/linuxbrew/.linuxbrew",
  "/sys/devices/system/cpu",
];

/** Find the parts of the system that commands see. */
export async function viewSystem(): Promise<SystemView> {
  const [programs, others, secrets] = await Promise.all([
    Promise.all(programFolders.map(programMount)),
    Promise.all(otherFolders.map(async (path) => ((await isFolder(path)) ? [path] : []))),
    secretsOf("/etc"),
  ]);
  const roots = others.flat();
  return {
    mounts: [
      ...programs.flat(),
      ...roots.flatMap((path) => ["--ro-bind", path, path]),
      ...secrets.flatMap(({ path, isDirectory }) => hidePath(path, isDirectory)),
    ],
    roots: ["/usr", ...roots],
  };
}

/** Hide an existing path. */
export function hidePath(path: string, isDirectory: boolean): string[] {
  // /dev/null cannot even be opened there, because devices do not work in bind mounts.
  return isDirectory
    ? ["--perms", "0000", "--tmpfs", path, "--remount-ro", path]
    : ["--ro-bind", "/dev/null", path];
}

async function programMount(path: string): Promise<string[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return [];
  if (found.isSymbolicLink()) return ["--symlink", await readlink(path), path];
  return found.isDirectory() ? ["--ro-bind", path, path] : [];
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

interface Secret {
  readonly path: string;
  readonly isDirectory: boolean;
}

/** Names in `/etc` that are hidden even if their permissions are too open. */
const knownSecrets = [
  "shadow",
  "shadow-",
  "gshadow",
  "gshadow-",
  "sudoers",
  "sudoers.d",
  "ssh",
  "ssl/private",
  "pki/tls/private",
  "krb5.keytab",
  "letsencrypt",
  "wireguard",
  "openvpn",
  "ppp",
  "NetworkManager/system-connections",
  "kubernetes",
  "docker",
];

/**
 * Files that not every user may read are hidden from commands, because permissions do not stop root. Files that the host
 * process cannot read do not need to be hidden.
 */
export async function secretsOf(folder: string): Promise<Secret[]> {
  const [unreadable, known] = await Promise.all([
    unreadableBelow(folder, 4),
    Promise.all(knownSecrets.map((name) => asSecret(join(folder, name)))),
  ]);
  const all = new Map([...unreadable, ...known.flat()].map((each) => [each.path, each]));
  return [...all.values()].filter(
    ({ path }) => ![...all.keys()].some((outer) => outer !== path && path.startsWith(`${outer}/`)),
  );
}

async function unreadableBelow(folder: string, depth: number): Promise<Secret[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory() && !entry.isFile()) return [];
      const stats = await lstat(path).catch(() => undefined);
      if (stats === undefined) return [];
      const needed = entry.isDirectory() ? 0o005 : 0o004;
      if ((stats.mode & needed) !== needed) return asSecret(path);
      return entry.isDirectory() && depth > 1 ? unreadableBelow(path, depth - 1) : [];
    }),
  );
  return found.flat();
}

async function asSecret(path: string): Promise<Secret[]> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink() || (stats.isFile() && stats.size === 0)) return [];
    await access(path, constants.R_OK);
    return [{ path, isDirectory: stats.isDirectory() }];
  } catch {
    return [];
  }
}
