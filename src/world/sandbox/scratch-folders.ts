import { readlinkSync } from "node:fs";
import { lstat, mkdir, mkdtemp, open, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sendSignal } from "../processes/stop-tree.js";
import { runProgram } from "./run-program.js";
import { makeFolder } from "../../contract/make-folder.js";

/** Folders of one session, outside the sandbox, that other sessions do not see. */
export interface SessionFolders {
  /** What commands see as /tmp. */
  readonly tmp: string;
  /** Caches that commands may write. */
  readonly caches: string;
}

/** The folders of a sandbox for temporary files, outside the sandbox. */
export interface ScratchFolders {
  readonly dir: string;
  /** The folders of a session, created when first needed. */
  forSession(id: string, cacheNames: readonly string[]): Promise<SessionFolders>;
  /** Remove the folders of a session. */
  endSession(id: string): Promise<void>;
  /** Copies of device files, if root needs them and can create them. */
  readonly devices: string | undefined;
  remove(): Promise<void>;
}

/** Devices that every program needs. */
export const deviceNames = ["null", "zero", "full", "random", "urandom", "tty"] as const;

/** Create the folders below `parent`, and remove those of killed processes. */
export async function openScratchFolders(parent: string, isRoot: boolean): Promise<ScratchFolders> {
  await removeStale(parent);
  const dir = await mkdtemp(join(parent, scratchName()));
  const sessions = new Map<string, Promise<SessionFolders>>();
  let count = 0;
  return {
    dir,
    forSession(id, cacheNames) {
      const known = sessions.get(id) ?? openSession(join(dir, `session-${(count += 1)}`), cacheNames);
      sessions.set(id, known);
      known.catch(() => sessions.delete(id)); // the next command tries again
      return known;
    },
    async endSession(id) {
      const ending = await sessions.get(id)?.catch(() => undefined);
      sessions.delete(id);
      if (ending !== undefined) await rm(dirname(ending.tmp), removal);
    },
    devices: isRoot ? await copyDevices(join(dir, "dev")) : undefined,
    remove: () => rm(dir, removal),
  };
}

const removal = { recursive: true, force: true, maxRetries: 3 } as const;

async function openSession(dir: string, cacheNames: readonly string[]): Promise<SessionFolders> {
  const [tmp, caches] = [join(dir, "tmp"), join(dir, "caches")];
  const folders = [tmp, ...cacheNames.map((name) => join(caches, name))];
  makeFolder(caches, 0o700);
  await Promise.all(folders.map((folder) => mkdir(folder, { mode: 0o700 })));
  return { tmp, caches };
}

const scratchPrefix = "tenon-sandbox-";

/** How names of folders begin: with the id of the process that made them, and the namespace of that id. */
export function scratchName(): string {
  return `${scratchPrefix}${process.pid}-${pidNamespace()}-`;
}

/** The number of the namespace in which this process has its id; 0 where there are none. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0"; // not on Linux
  }
}

/** The names that belong to processes that are gone. */
export function staleNames(names: readonly string[]): string[] {
  const own = pidNamespace();
  return names.filter((name) => {
    if (!name.startsWith(scratchPrefix)) return false;
    const [, pid, namespace] = /^([1-9]\d*)-(\d+)-/.exec(name.slice(scratchPrefix.length)) ?? [];
    // A process of another namespace (a container with the same /tmp) cannot be seen from here, whatever its number.
    return pid !== undefined && namespace === own && !sendSignal(Number(pid), 0);
  });
}

async function removeStale(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  await Promise.allSettled(
    staleNames(names).map(async (name) => {
      const path = join(parent, name);
      // In a shared folder, other users can create entries with that name.
      const found = await lstat(path);
      if (found.isDirectory() && found.uid === process.getuid?.()) {
        await rm(path, { recursive: true, force: true });
      }
    }),
  );
}

/**
 * Root has another uid inside, but still owns the /dev/null of the host and could change its mode for everyone. So root
 * gets copies; `undefined` if they cannot be created.
 */
async function copyDevices(dir: string): Promise<string | undefined> {
  await mkdir(dir, { mode: 0o755 });
  const sources = deviceNames.map((name) => `/dev/${name}`);
  const { code } = await runProgram({
    file: "/bin/cp",
    args: ["-a", "--", ...sources, dir],
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 10_000,
  });
  if (code !== 0) return undefined;
  try {
    // On a file system mounted with nodev, they can be created but not used.
    await (await open(join(dir, "null"), "r+")).close();
    return dir;
  } catch {
    return undefined;
  }
}
