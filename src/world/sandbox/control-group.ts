import { access, constants, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createCommandGroups, type CommandGroup, type CommandGroups } from "./command-group.js";

/** Limits that only the kernel's control groups can set. */
export interface GroupLimits {
  /** Bytes for all commands together. */
  readonly memory: number | undefined;
  /** Processes and threads of each command. */
  readonly processes: number | undefined;
}

/** Groups that commands are put into. */
export interface ControlGroup {
  readonly limits: { readonly memory: boolean; readonly processes: boolean };
  /** A group for one command; `undefined` where none can be had. */
  open(): CommandGroup | undefined;
  /** The folders whose groups hold the processes of all commands. */
  readonly dirs: readonly string[];
  /** Why a limit is missing, and the way to get it. */
  readonly reason: string | undefined;
  remove(): Promise<void>;
}

/** Make groups below the own one; without the right to it, none, and the reason. */
export async function openControlGroup(limits: GroupLimits): Promise<ControlGroup> {
  const wanted = { memory: limits.memory !== undefined, pids: true };
  const made: Made[] = [];
  for (const place of await findPlaces()) {
    const controllers = place.controllers.filter(
      (name) => wanted[name] && !made.some((each) => each.has(name)),
    );
    // In the second version a process is in one group only.
    const isTaken = place.version === 2 && made.some((each) => each.version === 2);
    if (controllers.length > 0 && !isTaken) made.push(...(await makeIn(place, controllers, limits)));
  }
  const has = (name: Controller): boolean => made.some((each) => each.has(name));
  const missing = [
    wanted.memory && !has("memory") && "memory",
    limits.processes !== undefined && !has("pids") && "processes",
  ];
  const names = missing.filter((name) => name !== false);
  const groups = commandGroupsIn(made, limits.processes);
  return {
    limits: { memory: has("memory"), processes: limits.processes !== undefined && has("pids") },
    open: () => groups?.open(),
    dirs: made.map(({ dir }) => dir),
    reason: names.length === 0 ? undefined : `no control group for ${names.join(" and ")}: ${wayOut}`,
    async remove() {
      groups?.close();
      await Promise.all(made.map(({ dir }) => removeGroup(dir)));
    },
  };
}

/** Each command has its own group for processes; the one for memory is for all, and the same where it can be. */
function commandGroupsIn(made: readonly Made[], processes: number | undefined): CommandGroups | undefined {
  const parent = made.find((each) => each.has("pids"));
  if (made.length === 0) return undefined;
  const shared = made.filter((each) => each !== parent).map(({ dir }) => dir);
  return createCommandGroups({ shared, parent: parent?.dir, processes });
}

const wayOut =
  "start Tenon where it may make groups, as by `systemd-run --user --scope -p Delegate=yes tenon …`";

type Controller = "memory" | "pids";

interface Made {
  readonly dir: string;
  readonly version: 1 | 2;
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
    if (controllers.includes("memory")) await limitMemory(dir, place.version, limits.memory);
    // The groups of single commands count their processes.
    if (place.version === 2 && controllers.includes("pids"))
      await writeFile(join(dir, "cgroup.subtree_control"), "+pids");
    return [{ dir, version: place.version, has: (name) => controllers.includes(name) }];
  } catch {
    await rmdir(dir).catch(() => {});
    return [];
  }
}

const prefix = "tenon-sandbox-";

async function limitMemory(dir: string, version: 1 | 2, bytes: number | undefined): Promise<void> {
  await writeFile(join(dir, version === 2 ? "memory.max" : "memory.limit_in_bytes"), String(bytes));
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
      const pid = Number.parseInt(name.slice(prefix.length), 10);
      const isGone = await access(`/proc/${pid}`).then(
        () => false,
        () => true,
      );
      if (isGone) await removeGroup(join(parent, name));
    }),
  );
}

/** Remove a group and those of its commands; one that has members stays, for whoever comes next. */
async function removeGroup(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  const commands = names.filter((name) => name.startsWith("command-"));
  await Promise.all(commands.map((name) => rmdir(join(dir, name)).catch(() => {})));
  await rmdir(dir).catch(() => {});
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
