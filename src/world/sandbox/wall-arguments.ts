import { isWithin } from "../files/path-text.js";
import type { CarriedVariables } from "./carry-variables.js";
import type { Mount } from "./mount-plan.js";
import type { SandboxCommand } from "./sandbox-types.js";
import type { PlacedFolder, SandboxView, SessionView } from "./sandbox-view.js";
import { deviceNames } from "./scratch.js";
import { hide } from "./system-mounts.js";

/** What a command in particular needs besides what all see. */
export interface WallParts {
  readonly view: SessionView;
  readonly command: SandboxCommand;
  readonly cwd: string;
  /** What the first process inside starts with. */
  readonly variables: CarriedVariables["initial"];
  /** What holds it to the rules about paths, outer folders first. */
  readonly mounts: readonly Mount[];
  /** Whether this bubblewrap can bound a memory file system. */
  readonly canBoundSize: boolean;
}

/** Name of an empty file among the sandbox's own. */
export const emptyFile = "empty";

/** An argument; a path that is not valid UTF-8 stands in bytes. */
export type WallArgument = string | Buffer;

/** The arguments of bubblewrap, in the order of their mounts: what comes later lies on top. */
export function wallArguments(parts: WallParts): WallArgument[] {
  const { view, command, cwd } = parts;
  return [
    ...rights(parts),
    "--clearenv",
    ...parts.variables.flatMap(([name, value]) => ["--setenv", name, value]),
    ...view.system.mounts,
    ...(command.network ? view.system.network : []),
    ...machine(parts),
    ...home(parts),
    ...folders(parts),
    ...guards(parts),
    "--remount-ro",
    "/dev",
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
  ];
}

/** The covers and mounts that the rules demand; what is absolutely secret is covered wherever it lies. */
function guards({ view, command, mounts }: WallParts): WallArgument[] {
  const masks = mounts.filter(({ kind }) => kind === "mask");
  const secrets = view.secrets.filter(({ path }) => !masks.some((mask) => isWithin(path, mask.path)));
  // A search passes by what is empty; elsewhere a refusal tells more than a file or folder that seems empty.
  const cover = command.paths?.unasked === undefined ? undefined : `${view.scratch.dir}/${emptyFile}`;
  const sealed = masks.filter(({ isOpenedInside }) => isOpenedInside === true).toReversed();
  return [
    ...mounts.flatMap((mount) => guard(mount, cover)),
    ...sealed.flatMap((mask) => ["--remount-ro", mask.bytes ?? mask.path]),
    ...secrets
      // The outer one first: a cover on what lies in a covered folder would not find its place.
      .filter(({ path }, _, all) => !all.some((other) => other.path !== path && isWithin(path, other.path)))
      .flatMap(({ path, isDirectory }) => hide(path, isDirectory)),
  ];
}

function guard(
  { path, bytes, kind, isDirectory, isOpenedInside }: Mount,
  cover: string | undefined,
): WallArgument[] {
  const place = bytes ?? path;
  if (kind === "fix") return ["--ro-bind-try", place, place];
  if (kind !== "mask") return ["--bind-try", place, place];
  if (!isDirectory) return ["--ro-bind", cover ?? "/dev/null", place];
  if (isOpenedInside === true) return ["--perms", cover !== undefined ? "0555" : "0111", "--tmpfs", place];
  return ["--perms", cover !== undefined ? "0555" : "0000", "--tmpfs", place, "--remount-ro", place];
}

function rights({ view, command }: WallParts): string[] {
  return [
    "--unshare-all",
    // Not only where it can be had, which is what "all" means.
    "--unshare-user",
    ...(command.network ? ["--share-net"] : []),
    // The number that root has inside; files that it makes are still root's outside.
    ...(view.isRoot ? ["--uid", "1000", "--gid", "1000"] : []),
    "--die-with-parent",
    ...(command.pty === true ? [] : ["--new-session"]),
    "--cap-drop",
    "ALL",
  ];
}

/** Kernel, devices and places for temporary files. */
function machine({ view, canBoundSize }: WallParts): string[] {
  const { scratch } = view;
  const bounded = canBoundSize ? ["--size", String(maxMemoryFiles)] : [];
  return [
    "--proc",
    "/proc",
    // Root owns the settings of the kernel below /proc, and no mode would stop it.
    "--remount-ro",
    "/proc",
    "--dev",
    "/dev",
    ...(scratch.devices === undefined
      ? []
      : deviceNames.flatMap((name) => ["--dev-bind", `${scratch.devices}/${name}`, `/dev/${name}`])),
    ...bounded,
    "--tmpfs",
    "/dev/shm",
    "--dir",
    "/run",
    "--symlink",
    "../run",
    "/var/run",
    "--symlink",
    "../tmp",
    "/var/tmp",
    "--bind",
    view.session.tmp,
    "/tmp",
    ...pins(view),
  ];
}

/** Files in memory of one command: /dev/shm and the home folder, each. */
const maxMemoryFiles = 1024 * 1024 * 1024;

/**
 * A command can write /tmp, and it stays for the next one. Were a folder on the way to a mount left in its
 * hands, it could put a link there, and the next mount would be made where that leads. So the way is a
 * mount of its own.
 */
function pins(view: SandboxView): string[] {
  const places = [
    view.home ?? "/",
    view.workspace,
    ...view.writable,
    ...view.readable,
    ...view.tools.programs,
  ];
  const inTmp = [...places, ...view.linkedGit, ...view.links.map(({ at }) => at)].filter((path) =>
    path.startsWith("/tmp/"),
  );
  const first = inTmp.map((path) => path.split("/").slice(0, 3).join("/"));
  // A place directly in /tmp is a mount itself; a link there must be made in a fresh folder.
  return [...new Set(first)].flatMap((path) => (places.includes(path) ? [] : ["--tmpfs", path]));
}

function home({ view, command, canBoundSize }: WallParts): string[] {
  if (view.home === undefined) return [];
  const bind = ({ from, at }: PlacedFolder): string[] => ["--bind", from, at];
  return [
    ...(canBoundSize ? ["--size", String(maxMemoryFiles)] : []),
    "--tmpfs",
    view.home,
    ...view.tools.programs.flatMap(readOnly),
    ...view.caches.always.flatMap(bind),
    ...(command.network ? view.caches.online.flatMap(bind) : view.tools.caches.flatMap(readOnly)),
    ...(view.gitSettings === undefined ? [] : ["--ro-bind", view.gitSettings, `${view.home}/.gitconfig`]),
  ];
}

function folders({ view, command }: WallParts): string[] {
  const bind = command.readOnly ? "--ro-bind" : "--bind";
  const isHome = view.home === undefined;
  return [
    ...[
      ...view.readable.map((path) => ["--ro-bind-try", path, path] as const),
      ...view.writable.map((path) => [`${bind}-try`, path, path] as const),
      [bind, view.workspace, view.workspace] as const,
    ]
      // What lies in another of them comes after it, or it would be covered.
      .toSorted(([, one], [, other]) => one.length - other.length)
      .flat(),
    ...(command.readOnly ? view.linkedGit.flatMap(readOnly) : []),
    // Tool chains that lie in the workspace, where that is the home folder.
    ...(isHome ? view.tools.programs.flatMap(readOnly) : []),
    ...view.links.flatMap(({ from, at }) => ["--symlink", from, at]),
  ];
}

function readOnly(path: string): string[] {
  return ["--ro-bind-try", path, path];
}
