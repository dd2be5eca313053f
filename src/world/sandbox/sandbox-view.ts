import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { findProgram } from "./find-program.js";
import { linkedGitDirs } from "./git-mounts.js";
import { type HomeView, outermost, viewHome } from "./home-mounts.js";
import { type CheckedRoot, mountsBelow } from "./mount-check.js";
import { homeSecrets, privateCaches, type ProfileName } from "./profiles.js";
import { runProgram } from "./run-program.js";
import { type InnerUser, type NameFiles, writeNameFiles } from "./network/name-files.js";
import { openScratchFolders, type ScratchFolders, type SessionFolders } from "./scratch-folders.js";
import { type SystemView, viewSystem } from "./system-mounts.js";
import { copyToolSettings } from "./tool-settings.js";
import { openWorkspaceCaches, type CacheLimits, type WorkspaceCaches } from "./caches/workspace-caches.js";

/** What is the same for all commands of a sandbox. */
export interface SandboxView {
  readonly workspace: string;
  /** Links to the home folder and the workspace, if they were given by symbolic links. */
  readonly links: readonly PlacedFolder[];
  /** `undefined` if the workspace is the home folder or contains it, so that it cannot be hidden. */
  readonly home: string | undefined;
  readonly isRoot: boolean;
  readonly system: SystemView;
  readonly tools: HomeView;
  /** Cache folders of the session. */
  readonly sessionCaches: readonly PlacedFolder[];
  /** What tool chains downloaded for this workspace. */
  readonly downloads: WorkspaceCaches;
  readonly scratch: ScratchFolders;
  /** Further folders that a command may write, and those that it may only read. */
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  /** Git folders of this work tree outside the workspace. */
  readonly linkedGit: readonly string[];
  /** Absolute paths that are hidden wherever they can be seen: they may not exist. */
  readonly secretPaths: readonly string[];
  /** Those of them that exist and would be visible. */
  readonly secrets: readonly { readonly path: string; readonly isDirectory: boolean }[];
  readonly gitSettings: string | undefined;
  /** Settings of tool chains, without credentials. */
  readonly toolSettings: readonly PlacedFolder[];
  readonly nameFiles: NameFiles;
  readonly user: InnerUser;
  /** The writable folders, for the check of the mounts in them. */
  readonly checked: readonly CheckedRoot[];
}

/** A path outside, and its path inside. */
export interface PlacedFolder {
  readonly from: string;
  readonly at: string;
}

export interface ViewOptions {
  readonly workspace: string;
  readonly home: string;
  readonly stateDir: string;
  readonly path: string | undefined;
  readonly tmpdir: string;
  readonly isRoot: boolean;
  readonly profiles: readonly ProfileName[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly cachesDir: string;
  readonly cacheLimits: CacheLimits;
  /** Patterns; absolute paths apply outside the workspace, too. */
  readonly hidden: readonly string[];
}

/** Find everything that commands will see, and create their own folders. */
export async function openView(options: ViewOptions): Promise<SandboxView> {
  const workspace = realPathOf(options.workspace);
  const home = realPathOf(options.home);
  const holdsHome = isWithin(home, workspace) || home === "/";
  const [system, writable, readable, linkedGit] = await Promise.all([
    viewSystem(),
    existingFolders(options.writable, workspace),
    existingFolders(options.readable, workspace),
    linkedGitDirs(workspace),
  ]);
  const known = [...system.roots, "/bin", "/sbin", workspace, ...writable, ...readable];
  const tools = await viewHome({ home, path: options.path, profiles: options.profiles, known });
  const scratch = await openScratchFolders(options.tmpdir, options.isRoot);
  const visible = [...known, ...tools.programs, ...linkedGit];
  const ownSecrets = [
    options.stateDir,
    scratch.dir,
    ...options.hidden.filter((pattern) => pattern.startsWith("/")),
  ];
  const secretPaths = [...ownSecrets, ...homeSecrets.map((name) => join(home, name))];
  const mountinfo = await readFile("/proc/self/mountinfo", "utf8");
  const user = { ...innerIds(options.isRoot), home };
  return {
    workspace,
    links: linkAliases(
      [
        { from: home, at: options.home },
        { from: workspace, at: options.workspace },
      ],
      [...visible, home, workspace],
    ),
    home: holdsHome ? undefined : home,
    isRoot: options.isRoot,
    system,
    tools,
    sessionCaches: privateCaches.map((name) => ({ from: name, at: join(home, name) })),
    downloads: openWorkspaceCaches({
      ...options,
      dir: options.cachesDir,
      home,
      limits: options.cacheLimits,
    }),
    scratch,
    writable,
    readable,
    linkedGit,
    secretPaths,
    secrets: await existingSecrets(holdsHome ? secretPaths : ownSecrets, visible),
    checked: outermost([workspace, ...writable, ...linkedGit]).map((path) => ({
      path,
      nested: mountsBelow(path, mountinfo),
    })),
    nameFiles: await writeNameFiles(scratch.dir, user),
    user,
    toolSettings: holdsHome ? [] : await copyToolSettings(home, join(scratch.dir, "settings")),
    gitSettings: holdsHome ? undefined : await copyGitSettings(options, scratch),
  };
}

/** Root gets another uid inside; files that it creates still belong to root outside. */
function innerIds(isRoot: boolean): Pick<InnerUser, "uid" | "gid"> {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return isRoot || uid === undefined || gid === undefined ? { uid: 1000, gid: 1000 } : { uid, gid };
}

/** A link can only be created where nothing is mounted and no earlier command could write. */
export function linkAliases(named: readonly PlacedFolder[], mounted: readonly string[]): PlacedFolder[] {
  const taken = [...mounted, "/proc", "/dev", "/run"];
  return named.filter(({ from, at }, index) => {
    if (from === at || /^\/tmp\/[^/]+$/.test(at)) return false;
    const outer = named.slice(0, index).filter((other) => other.from !== other.at);
    return ![...taken, ...outer.map((other) => other.at)].some(
      (root) => isWithin(at, root) || isWithin(root, at),
    );
  });
}

/** The real paths of those that exist outside the workspace. */
export async function existingFolders(paths: readonly string[], workspace: string): Promise<string[]> {
  // Allowed paths may be written as `dir/**` and relative to the workspace.
  const folders = paths.map((path) => resolve(workspace, path.replace(/(?:\/\*\*?)+$/, "")));
  const real = [...new Set(folders.map((path) => realPathOf(path)))];
  const found = await Promise.all(
    real.map(async (path) => ((await kindOf(path)) === undefined ? [] : [path])),
  );
  // Paths in the workspace are already visible, and no wider folder may be opened this way.
  return found.flat().filter((path) => path !== "/" && !isWithin(path, workspace));
}

async function kindOf(path: string): Promise<"file" | "directory" | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isDirectory() ? "directory" : "file";
}

/** The view with the folders of one session in it. */
export interface SessionView extends SandboxView {
  readonly session: SessionFolders;
}

/** The view for the commands of a session; its folders are created with the first one. */
export async function viewFor(view: SandboxView, sessionId: string): Promise<SessionView> {
  const { sessionCaches } = view;
  const names = sessionCaches.map(({ from }) => from);
  const session = await view.scratch.forSession(sessionId, names);
  const inSession = ({ from, at }: PlacedFolder): PlacedFolder => ({ from: join(session.caches, from), at });
  return { ...view, session, sessionCaches: sessionCaches.map(inSession) };
}

/** Those of the paths that exist and are visible. */
export async function existingSecrets(
  paths: readonly string[],
  visible: readonly string[],
): Promise<SandboxView["secrets"]> {
  const real = [...new Set(paths.map((path) => realPathOf(path)))];
  const seen = real.filter((path) => visible.some((root) => isWithin(path, root)));
  const found = await Promise.all(
    seen.map(async (path) => {
      const kind = await kindOf(path);
      return kind === undefined ? [] : [{ path, isDirectory: kind === "directory" }];
    }),
  );
  return found.flat();
}

/** The name and email for commits; other settings may contain credentials or programs to run. */
async function copyGitSettings(options: ViewOptions, scratch: ScratchFolders): Promise<string | undefined> {
  const git = findProgram("git", {
    path: options.path,
    untrusted: [options.workspace, dirname(scratch.dir)],
  });
  if (git === undefined) return undefined;
  const { code, stdout } = await runProgram({
    file: git,
    args: ["config", "--global", "--null", "--get-regexp", String.raw`^user\.(name|email)$`],
    env: { HOME: options.home, PATH: "/usr/bin:/bin" },
    timeoutMs: 5000,
  });
  if (code !== 0) return undefined;
  const lines = stdout.split("\0").flatMap((item) => {
    const [key = "", value = ""] = item.split("\n", 2);
    return key === "" ? [] : [`\t${key.slice("user.".length)} = ${JSON.stringify(value)}`];
  });
  const file = join(scratch.dir, "gitconfig");
  await writeFile(file, `[user]\n${lines.join("\n")}\n`, { mode: 0o600 });
  return file;
}
