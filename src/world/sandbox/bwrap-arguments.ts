import { isWithin } from "../files/path-text.js";
import { toSystemPath } from "../files/raw-path.js";
import type { CarriedVariables } from "./carry-variables.js";
import type { Mount } from "./mount-plan.js";
import { usesForwarder } from "../forwarder/network-run.js";
import { programHome, type SandboxCommand } from "./sandbox-types.js";
import type { PlacedFolder, SandboxView, SessionView } from "./sandbox-view.js";
import { deviceNames } from "./scratch-folders.js";
import { hidePath } from "./system-mounts.js";

/** What the arguments for a command are built from. */
export interface BwrapOptions {
  readonly view: SessionView;
  readonly command: SandboxCommand;
  readonly cwd: string;
  /** The mounts for what tool chains downloaded. */
  readonly caches: readonly string[];
  /** The initial variables of the first process inside. */
  readonly variables: CarriedVariables["initial"];
  /** The mounts that enforce path rules, outer folders first. */
  readonly mounts: readonly Mount[];
  /** Whether it starts in the network namespace of its session, and stays there. */
  readonly sharesNetwork: boolean;
  /** Whether this bubblewrap can limit the size of a tmpfs. */
  readonly canLimitSize: boolean;
}

/** The name of an empty file in the scratch folder. */
export const emptyFile = "empty";

/** An argument; a path that is not valid UTF-8 is passed as bytes. */
export type BwrapArgument = string | Buffer;

/** The arguments of bubblewrap in mount order: later mounts cover earlier ones. */
export function bwrapArguments(parts: BwrapOptions): BwrapArgument[] {
  const { view, command, cwd } = parts;
  return [
    ...namespaceArguments(parts),
    "--clearenv",
    ...parts.variables.flatMap(([name, value]) => ["--setenv", name, value]),
    ...view.system.mounts,
    ...(hasNetwork(command) ? view.nameFiles.granted : view.nameFiles.offline),
    ...systemArguments(parts),
    ...homeArguments(parts),
    ...folderArguments(parts),
    ...(command.home === undefined ? [] : ["--bind", command.home, programHome]),
    ...ruleArguments(parts),
    "--remount-ro",
    "/dev",
    // What a program wrote to an empty home folder would be lost; it has its own.
    ...(command.home === undefined || view.home === undefined || isMounted(view, view.home)
      ? []
      : ["--remount-ro", view.home]),
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
  ];
}

/** Whether a granted folder covers the path. */
function isMounted({ readable, writable }: SessionView, path: string): boolean {
  return [...readable, ...writable].includes(path);
}

export function hasNetwork({ network }: SandboxCommand): boolean {
  return network !== undefined && usesForwarder(network);
}

/** The mounts for path rules, and the secrets that are always hidden. */
function ruleArguments({ view, command, mounts }: BwrapOptions): BwrapArgument[] {
  const masks = mounts.filter(({ kind }) => kind === "mask");
  const secrets = view.secrets.filter(({ path }) => !masks.some((mask) => isWithin(path, mask.path)));
  // A search skips empty files; otherwise an error is clearer than an apparently empty file or folder.
  const cover = command.paths?.unasked === undefined ? undefined : `${view.scratch.dir}/${emptyFile}`;
  const sealed = masks.filter(({ isOpenedInside }) => isOpenedInside === true).toReversed();
  return [
    ...mounts.flatMap((mount) => mountArguments(mount, cover)),
    ...sealed.flatMap((mask) => ["--remount-ro", toSystemPath(mask.path)]),
    ...secrets
      // Only outer ones: a path inside a hidden folder cannot be mounted.
      .filter(({ path }, _, all) => !all.some((other) => other.path !== path && isWithin(path, other.path)))
      .flatMap(({ path, isDirectory }) => hidePath(path, isDirectory)),
  ];
}

function mountArguments(
  { path, kind, isDirectory, isOpenedInside }: Mount,
  cover: string | undefined,
): BwrapArgument[] {
  const place = toSystemPath(path);
  if (kind === "fix") return ["--ro-bind-try", place, place];
  if (kind !== "mask") return ["--bind-try", place, place];
  if (!isDirectory) return ["--ro-bind", cover ?? "/dev/null", place];
  if (isOpenedInside === true) return ["--perms", cover !== undefined ? "0555" : "0111", "--tmpfs", place];
  return ["--perms", cover !== undefined ? "0555" : "0000", "--tmpfs", place, "--remount-ro", place];
}

function namespaceArguments({ view, command, sharesNetwork }: BwrapOptions): string[] {
  return [
    "--unshare-all",
    // --unshare-all does this only if possible.
    "--unshare-user",
    ...(sharesNetwork ? ["--share-net"] : []),
    // Given explicitly, because in the namespaces of a session the user is uid 0.
    "--uid",
    String(view.user.uid),
    "--gid",
    String(view.user.gid),
    "--die-with-parent",
    ...(command.pty === true ? [] : ["--new-session"]),
    "--cap-drop",
    "ALL",
  ];
}

/** /proc, devices and temporary files. */
function systemArguments({ view, canLimitSize }: BwrapOptions): string[] {
  const { scratch } = view;
  const bounded = canLimitSize ? ["--size", String(maxMemoryFiles)] : [];
  return [
    "--proc",
    "/proc",
    // Root owns kernel settings below /proc, and permissions do not stop it.
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
    ...tmpPins(view),
  ];
}

/** Maximum size of /dev/shm and of the home folder, which are in memory. */
const maxMemoryFiles = 1024 * 1024 * 1024;

/**
 * Commands can write /tmp, which persists for the next command. If a folder above a mount point were writable, a command
 * could replace it with a link, and the next mount would follow it. So such a folder is a separate mount.
 */
function tmpPins(view: SandboxView): string[] {
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
  // A folder directly in /tmp is a mount itself; a link there must be created in a fresh folder.
  return [...new Set(first)].flatMap((path) => (places.includes(path) ? [] : ["--tmpfs", path]));
}

function homeArguments({ view, caches, canLimitSize }: BwrapOptions): string[] {
  if (view.home === undefined) return [];
  const bind = ({ from, at }: PlacedFolder): string[] => ["--bind", from, at];
  return [
    ...(canLimitSize ? ["--size", String(maxMemoryFiles)] : []),
    "--tmpfs",
    view.home,
    ...view.tools.programs.flatMap(readOnlyBind),
    ...view.sessionCaches.flatMap(bind),
    ...caches,
    ...view.toolSettings.flatMap(({ from, at }) => ["--ro-bind", from, at]),
    ...(view.gitSettings === undefined ? [] : ["--ro-bind", view.gitSettings, `${view.home}/.gitconfig`]),
  ];
}

function folderArguments({ view, command }: BwrapOptions): string[] {
  const bind = command.readOnly ? "--ro-bind" : "--bind";
  const isHome = view.home === undefined;
  return [
    ...[
      ...view.readable.map((path) => ["--ro-bind-try", path, path] as const),
      ...view.writable.map((path) => [`${bind}-try`, path, path] as const),
      // The one of a program of the configuration is an empty folder.
      [command.home === undefined ? bind : "--ro-bind", view.workspace, view.workspace] as const,
    ]
      // Inner folders come after outer ones, which would cover them otherwise.
      .toSorted(([, one], [, other]) => one.length - other.length)
      .flat(),
    ...(command.readOnly ? view.linkedGit.flatMap(readOnlyBind) : []),
    // Tool chains in the workspace, if that is the home folder.
    ...(isHome ? view.tools.programs.flatMap(readOnlyBind) : []),
    ...view.links.flatMap(({ from, at }) => ["--symlink", from, at]),
  ];
}

function readOnlyBind(path: string): string[] {
  return ["--ro-bind-try", path, path];
}
