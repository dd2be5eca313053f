import { mkdirSync, writeFileSync } from "node:fs";
import { access, constants, readdir, readFile, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  createCommandGroups,
  type CommandGroup,
  type CommandGroups,
  type LastingGroup,
} from "./command-group.js";
import { scratchName, staleNames } from "./scratch-folders.js";

/** Limits that only control groups (cgroups) can enforce. */
export interface GroupLimits {
  /** Bytes for all commands together. */
  readonly memory: number | undefined;
  /** Processes and threads of each command. */
  readonly processes: number | undefined;
}

/** Groups that commands are put into. */
export interface ControlGroup {
  readonly limits: { readonly memory: boolean; readonly processes: boolean };
  /** A group for one command; `undefined` if none can be created. */
  open(): CommandGroup | undefined;
  /** The folders whose groups hold the processes of all commands. */
  readonly dirs: readonly string[];
  /** Why a limit is missing, and how to get it. */
  readonly reason: string | undefined;
  remove(): Promise<void>;
}

/** Create groups below the own one; without permission, none, with the reason. */
export async function openControlGroup(limits: GroupLimits): Promise<ControlGroup> {
  const wanted = { memory: limits.memory !== undefined, pids: true };
  const created: CreatedGroup[] = [];
  for (const location of await findLocations()) {
    const controllers = location.controllers.filter(
      (name) => wanted[name] && !created.some((each) => each.has(name)),
    );
    // In cgroup v2, a process is in exactly one group.
    const isTaken = location.version === 2 && created.some((each) => each.version === 2);
    if (controllers.length > 0 && !isTaken)
      created.push(...(await createGroup(location, controllers, limits)));
  }
  const has = (name: Controller): boolean => created.some((each) => each.has(name));
  const missing = [
    wanted.memory && !has("memory") && "memory",
    limits.processes !== undefined && !has("pids") && "processes",
  ];
  const names = missing.filter((name) => name !== false);
  const groups = commandGroupsIn(created, limits.processes);
  return {
    limits: { memory: has("memory"), processes: limits.processes !== undefined && has("pids") },
    open: () => groups?.open(),
    dirs: created.map(({ dir }) => dir),
    reason: names.length === 0 ? undefined : `no control group for ${names.join(" and ")}: ${delegationHint}`,
    async remove() {
      groups?.close();
      await Promise.all(created.map(({ dir }) => removeGroup(dir)));
    },
  };
}

/** Each command has its own group for processes; the memory group is shared by all commands. */
function commandGroupsIn(
  created: readonly CreatedGroup[],
  processes: number | undefined,
): CommandGroups | undefined {
  const parent = created.find((each) => each.has("pids"));
  if (created.length === 0) return undefined;
  const shared = created.filter((each) => each !== parent);
  const memory = created.find((each) => each.has("memory"));
  const memoryEvents =
    memory && join(memory.dir, memory.version === 2 ? "memory.events" : "memory.oom_control");
  return createCommandGroups({ shared, parent, processes, memoryEvents });
}

const delegationHint =
  "start Tenon with permission to create groups, for example with `systemd-run --user --scope -p Delegate=yes tenon …`";

type Controller = "memory" | "pids";

interface CreatedGroup extends LastingGroup {
  readonly version: 1 | 2;
  readonly has: (name: Controller) => boolean;
}

/** A folder in which groups may be created. */
interface GroupLocation {
  readonly parent: string;
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
}

async function findLocations(): Promise<GroupLocation[]> {
  const [own, mounts] = await Promise.all([readLines("/proc/self/cgroup"), readLines("/proc/self/mounts")]);
  const mounted = mounts.map((line) => line.split(" "));
  const locations = own.map(async (line): Promise<GroupLocation[]> => {
    const [, names = "", ...rest] = line.split(":");
    const path = rest.join(":");
    if (names === "") {
      const mount = mounted.find(([, , type]) => type === "cgroup2")?.[1];
      return mount === undefined ? [] : unifiedLocations(mount, path);
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
  return (await Promise.all(locations)).flat();
}

/** A group with processes cannot delegate controllers, so its parent is tried first. */
async function unifiedLocations(mount: string, path: string): Promise<GroupLocation[]> {
  const own = join(mount, path);
  const parents = path === "/" ? [own] : [dirname(own), own];
  const locations = parents.map(async (parent): Promise<GroupLocation> => {
    const open = await readLines(join(parent, "cgroup.subtree_control"));
    const names = open.join(" ").split(" ");
    return {
      parent,
      version: 2,
      controllers: (["memory", "pids"] as const).filter((name) => names.includes(name)),
    };
  });
  return Promise.all(locations);
}

async function createGroup(
  location: GroupLocation,
  controllers: readonly Controller[],
  limits: GroupLimits,
): Promise<CreatedGroup[]> {
  const { version } = location;
  const dir = join(location.parent, scratchName() + Date.now().toString(36));
  const names = [
    ...(controllers.includes("memory") ? ["memory"] : []),
    ...(controllers.includes("pids") && limits.processes !== undefined ? ["processes"] : []),
  ];
  const make = (): void => {
    mkdirSync(dir);
    if (controllers.includes("memory")) limitMemory(dir, version, limits.memory);
    // The groups of single commands count their processes.
    if (version === 2 && controllers.includes("pids"))
      writeFileSync(join(dir, "cgroup.subtree_control"), "+pids");
  };
  try {
    // Moving a process requires write access to the common ancestor of both groups.
    await access(join(location.parent, "cgroup.procs"), constants.W_OK);
    await removeStale(location.parent);
    make();
    return [{ dir, version, limits: names.join(" and "), has: (name) => controllers.includes(name), make }];
  } catch {
    await rmdir(dir).catch(() => {});
    return [];
  }
}

function limitMemory(dir: string, version: 1 | 2, bytes: number | undefined): void {
  writeFileSync(join(dir, version === 2 ? "memory.max" : "memory.limit_in_bytes"), String(bytes));
  if (version === 1) return;
  try {
    writeFileSync(join(dir, "memory.swap.max"), "0");
  } catch {
    // Swap would only slow it down; not every kernel accounts for it.
  }
}

/** Groups left by killed processes; only empty ones can be removed. */
async function removeStale(parent: string): Promise<void> {
  const stale = staleNames(await readdir(parent));
  await Promise.all(stale.map((name) => removeGroup(join(parent, name))));
}

/** Remove a group and those of its commands; one that still has members stays until the next start. */
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
