import { lstat, mkdir, mkdtemp, open, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runProgram } from "./run-program.js";

/** Folders outside the sandbox that are one session's own: no other session's commands see them. */
export interface SessionScratch {
  /** What commands see as /tmp. */
  readonly tmp: string;
  /** Caches that commands may write. */
  readonly caches: string;
}

/** Folders outside the sandbox that are the sandbox's own. */
export interface Scratch {
  readonly dir: string;
  /** The folders of a session, made when they are first asked for, with these for its caches. */
  forSession(id: string, cacheNames: readonly string[]): Promise<SessionScratch>;
  /** Remove what a session left there. */
  endSession(id: string): Promise<void>;
  /** Device files of the sandbox's own, where root needs them and can have them. */
  readonly devices: string | undefined;
  remove(): Promise<void>;
}

/** Devices that every program needs. */
export const deviceNames = ["null", "zero", "full", "random", "urandom", "tty"] as const;

/** Make the folders below `parent`, and clear away what a killed process left there. */
export async function openScratch(parent: string, isRoot: boolean): Promise<Scratch> {
  await removeStale(parent);
  const dir = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  const sessions = new Map<string, Promise<SessionScratch>>();
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

async function openSession(dir: string, cacheNames: readonly string[]): Promise<SessionScratch> {
  const [tmp, caches] = [join(dir, "tmp"), join(dir, "caches")];
  const folders = [tmp, ...cacheNames.map((name) => join(caches, name))];
  await mkdir(caches, { recursive: true, mode: 0o700 });
  await Promise.all(folders.map((folder) => mkdir(folder, { mode: 0o700 })));
  return { tmp, caches };
}

const prefix = "tenon-sandbox-";

async function removeStale(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const stale = names.filter((name) => {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    return Number.isInteger(pid) && pid > 0 && !isAlive(pid);
  });
  await Promise.allSettled(
    stale.map(async (name) => {
      const path = join(parent, name);
      // In a shared folder others can make things of that name.
      const found = await lstat(path);
      if (found.isDirectory() && found.uid === process.getuid?.()) {
        await rm(path, { recursive: true, force: true });
      }
    }),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Root inside has another number, but it is still the owner of the machine's /dev/null and could change
 * its mode for everybody. So root gets copies; where none can be had, undefined.
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
    // A file system mounted without devices lets them be made, but not be used.
    await (await open(join(dir, "null"), "r+")).close();
    return dir;
  } catch {
    return undefined;
  }
}
