import { mkdtemp, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import type { ActiveSandbox } from "./active-sandbox.js";
import { outermost } from "./home-mounts.js";
import { noCaches } from "./caches/workspace-caches.js";
import { mountsBelow } from "./mount-check.js";
import type { ProgramFolders } from "./sandbox-types.js";
import { existingFolders, existingSecrets, linkAliases, type SandboxView } from "./sandbox-view.js";
import { scratchName } from "./scratch-folders.js";

/** The sandbox for a program that sees other folders than commands do: only those that it was granted. */
export async function openProgramSandbox(
  sandbox: ActiveSandbox,
  folders: ProgramFolders,
  createRules: (view: SandboxView) => Pick<ActiveSandbox, "index" | "runs">,
): Promise<ActiveSandbox> {
  const view = await viewProgram(sandbox.view, folders);
  const { workspace, writable } = sandbox.view;
  // Where both can write, each must know what the other could replace while it runs.
  const meets = view.writable.some((path) =>
    [workspace, ...writable].some((other) => isWithin(path, other) || isWithin(other, path)),
  );
  return { ...sandbox, view, ...createRules(view), ...(!meets && { running: new Set() }) };
}

/** The system and the toolchains as for commands, an empty folder as the workspace, and the granted folders. */
async function viewProgram(view: SandboxView, folders: ProgramFolders): Promise<SandboxView> {
  const { scratch, system, tools } = view;
  const empty = await realpath(await mkdtemp(join(dirname(scratch.dir), `${scratchName()}program-`)));
  const [writable, readable, programs] = await Promise.all([
    existingFolders(folders.writable, empty),
    existingFolders(folders.readable, empty),
    existingFolders(folders.programs, empty),
  ]);
  const granted = [...writable, ...readable];
  const systemFolders = [...system.roots, "/bin", "/sbin"];
  const own = programs.filter((path) => !systemFolders.some((root) => isWithin(path, root)));
  const visible = [...systemFolders, ...tools.programs, ...own, ...granted];
  // A grant that names a secret itself opens it.
  const secrets = view.secretPaths.filter((secret) => !granted.some((path) => isWithin(path, secret)));
  const mountinfo = await readFile("/proc/self/mountinfo", "utf8");
  const named = [...folders.writable, ...folders.readable];
  return {
    ...view,
    workspace: empty,
    writable,
    readable: readable.filter((path) => !writable.includes(path)),
    linkedGit: [],
    links: linkAliases(
      named.map((at) => ({ from: realPathOf(at), at })),
      visible,
    ),
    sessionCaches: [],
    toolSettings: [],
    tools: { ...tools, programs: outermost([...tools.programs, ...own]) },
    // Those of commands are not lent to a program, which could change what they trust.
    downloads: noCaches(view.downloads.dir),
    secrets: await existingSecrets(secrets, visible),
    checked: outermost([empty, ...writable]).map((path) => ({ path, nested: mountsBelow(path, mountinfo) })),
  };
}
