import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

const prefix = "tenon-tests-";

/** Removes a folder, together with the small disks that killed tests left mounted in it. */
const remove = `awk -v folder="$1/" 'index($2, folder) == 1 { print $2 }' /proc/mounts 2>/dev/null | xargs -r -n 1 umount -l 2>/dev/null
rm -rf "$1" 2>/dev/null || chmod -R u+rwX "$1" 2>/dev/null`;

/** Waits until the run's process is gone, however it ended, and removes the folder when what it started has ended. */
const sweeper = `cat >/dev/null
for pause in 0 1 2 3 4 5 10 15; do
  sleep $pause
  ${remove}
  [ -e "$1" ] || exit 0
done`;

/**
 * One folder for everything temporary of this run: the workers and all they start find it as their folder for
 * temporary files. It goes with this process, after Ctrl-C as well; the next run removes what a crash of the whole
 * machine left.
 */
export function openRunFolder(): string {
  const folder = openFolderIn(tmpdir());
  process.env["TMPDIR"] = folder;
  if (existsSync("/dev/shm")) process.env["TENON_TEST_MEMORY"] = openFolderIn("/dev/shm");
  return folder;
}

function openFolderIn(parent: string): string {
  removeAbandoned(parent);
  const folder = join(parent, `${prefix}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // Servers that run as another user have theirs below it.
  chmodSync(folder, 0o755);
  removeAtEnd(folder);
  return folder;
}

/** Remove vitest's own folder as well, which it makes before it reads its configuration and forgets on Ctrl-C. */
export default function setup({ tmpDir }: TestProject): void {
  removeAtEnd(tmpDir);
}

function removeAtEnd(folder: string): void {
  const child = spawn("sh", ["-c", sweeper, "sh", folder], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  (child.stdin as Socket).unref();
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(name.startsWith(prefix) ? name.slice(prefix.length) : Number.NaN);
    if (Number.isInteger(pid) && !isRunning(pid)) {
      spawnSync("sh", ["-c", remove, "sh", join(parent, name)]);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
