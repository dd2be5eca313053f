import { access, constants, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Limits that only the kernel's control groups can set. */
export interface GroupLimits {
  /** Bytes for all commands together. */
  readonly memory: number | undefined;
  /** Processes and threads of all commands together. */
  readonly processes: number | undefined;
}

/** A group that commands are put into. */
export interface ControlGroup {
  /** The files that a process writes 0 to in order to join; none where no group can be had. */
  readonly joins: readonly string[];
  readonly limits: { readonly memory: boolean; readonly processes: boolean };
  /** Put a process, and with it all that it starts from now on, into the group; false where that cannot be. */
  adopt(pid: number): Promise<boolean>;
  /** Why a limit is missing, and the way to get it. */
  readonly reason: string | undefined;
  remove(): Promise<void>;
}

/** Make a group below the own one; without the right to it, an empty one that says why. */
export async function openControlGroup(limits: GroupLimits): Promise<ControlGroup> {
  const wanted = { memory: limits.memory !== undefined, pids: limits.processes !== undefined };
  const made: Made[] = [];
  for (const place of await findPlaces()) {
    const controllers = place.controllers.filter(
      (name) => wanted[name] && !made.some((each) => each.has(name)),
    );
    if (controllers.length > 0) made.push(...(await makeIn(place, controllers, limits)));
  }
  const has = (name: Controller): boolean => made.some((each) => each.has(name));
  const missing = [wanted.memory && !has("memory") && "memory", wanted.pids && !has("pids") && "processes"];
  const names = missing.filter((name) => name !== false);
  const joins = made.map(({ dir }) => join(dir, "cgroup.procs"));
  return {
    joins,
    adopt: (pid) =>
      Promise.all(joins.map((file) => writeFile(file, String(pid)))).then(
        () => true,
        () => false,
      ),
    limits: { memory: has("memory"), processes: has("pids") },
    reason: names.length === 0 ? undefined : `no control group for ${names.join(" and ")}: ${wayOut}`,
    remove: async () => {
      await Promise.all(made.map(({ dir }) => rmdir(dir).catch(() => {})));
    },
  };
}

const wayOut =
  "start Tenon where it may make groups, as by `systemd-run --user --scope -p Delegate=yes tenon …`";

type Controller = "memory" | "pids";

interface Made {
  readonly dir: string;
  readonly has: (name: Controller) => boolean;
}

/** A folder in which groups can perhaps be made. */
interface Place {
  readonly parent: string;
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
}

async function findPlaces(): Promise<Place[]> {
  const [own, mounts] = await Promise.all([readLines("/proc/self/cgroup"), readLines("/proc/self/mounts")]);
  const mounted = mounts.map((line) => line.split(" "));
  const places = own.map(async (line): Promise<Place[]> => {
    const [, names = "", ...rest] = line.split(":");
    const path = rest.join(":");
    if (names === "") {
      const mount = mounted.find(([, , type]) => type === "cgroup2")?.[1];
      return mount === undefined ? [] : unifiedPlaces(mount, path);
    }
    const controller = names
      .split(",")
      .find((name): name is Controller => name === "memory" || name === "pids");
    const mount = mounted.find(
      ([, , type, options = ""]) => type === "cgroup" && options.split(",").includes(controller ?? "-"),
    )?.[1];
    if (controller === undefined || mount === undefined) return [];
    return [{ parent: join(mount, path), version: 1, controllers: [controller] }];
  });
  return (await Promise.all(places)).flat();
}

/** A group with processes of its own cannot hand out controllers, so the neighbourhood is tried first. */
async function unifiedPlaces(mount: string, path: string): Promise<Place[]> {
  const own = join(mount, path);
  const parents = path === "/" ? [own] : [dirname(own), own];
  const places = parents.map(async (parent): Promise<Place> => {
    const open = await readLines(join(parent, "cgroup.subtree_control"));
    const names = open.join(" ").split(" ");
    return {
      parent,
      version: 2,
      controllers: (["memory", "pids"] as const).filter((name) => names.includes(name)),
    };
  });
  return Promise.all(places);
}

async function makeIn(
  place: Place,
  controllers: readonly Controller[],
  limits: GroupLimits,
): Promise<Made[]> {
  const dir = join(place.parent, `${prefix}${process.pid}-${Date.now().toString(36)}`);
  try {
    // Who moves a process must be able to write where both groups meet.
    await access(join(place.parent, "cgroup.procs"), constants.W_OK);
    await removeStale(place.parent);
    await mkdir(dir);
    for (const name of controllers) await writeLimits(dir, place.version, { name, limits });
    return [{ dir, has: (name) => controllers.includes(name) }];
  } catch {
    await rmdir(dir).catch(() => {});
    return [];
  }
}

const prefix = "tenon-sandbox-";

async function writeLimits(
  dir: string,
  version: 1 | 2,
  { name, limits }: { readonly name: Controller; readonly limits: GroupLimits },
): Promise<void> {
  if (name === "pids") return writeFile(join(dir, "pids.max"), String(limits.processes));
  await writeFile(join(dir, version === 2 ? "memory.max" : "memory.limit_in_bytes"), String(limits.memory));
  // Swap would only make it slower; not every kernel counts it.
  if (version === 2) await writeFile(join(dir, "memory.swap.max"), "0").catch(() => {});
}

/** Groups of killed processes: only empty ones can be removed at all. */
async function removeStale(parent: string): Promise<void> {
  const names = await readdir(parent);
  const stale = names.filter(
    (name) => name.startsWith(prefix) && !name.startsWith(`${prefix}${process.pid}-`),
  );
  await Promise.all(
    stale.map(async (name) => {
      const procs = await readFile(join(parent, name, "cgroup.procs"), "utf8").catch(() => "?");
      const pid = Number.parseInt(name.slice(prefix.length), 10);
      const isGone = await access(`/proc/${pid}`).then(
        () => false,
        () => true,
      );
      if (procs === "" && isGone) await rmdir(join(parent, name)).catch(() => {});
    }),
  );
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
