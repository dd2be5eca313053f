import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp, lstat, rename, rm } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { ToolPermissionError, ToolResourceNotFoundError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import { matchesName } from "../../glob/name-glob.js";
import { workspaceAway } from "../bus/fleet-error.js";
import type { FleetConfig } from "../bus/open-bus.js";
import type { AskMessage } from "../protocol.js";

type Source = NonNullable<AskMessage["source"]>;

const cloneLimitMs = 300_000;

/** The folder of a workspace: one that is there, or made from a template or a repository, whole or not at all. */
export async function provideFolder(
  dir: string,
  name: string,
  { source = {}, config }: { readonly source?: Source | undefined; readonly config: FleetConfig },
): Promise<string> {
  const folder = join(dir, name);
  if (await isFolder(folder)) return folder;
  const { template, git } = source;
  if (template === undefined && git === undefined)
    throw new ToolResourceNotFoundError(`Workspace "${name}" not found.`, {
      hint: "Create a folder with that name below --workspaces of a worker, or give the endpoint a template or git.",
    });
  const draft = join(dir, `.${name}.${randomUUID()}.partial`);
  try {
    await (template === undefined ? clone(source, draft, config) : copyTemplate(template, draft, config));
    await rename(draft, folder);
  } catch (cause) {
    // Another worker on this volume was faster, or it failed.
    if (!(await isFolder(folder))) throw cause;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

async function copyTemplate(template: string, draft: string, { templates }: FleetConfig): Promise<void> {
  if (templates === undefined) throw notAllowed("fleet.templates is not set on this worker");
  const from = resolve(templates, template);
  const inside = relative(resolve(templates), from);
  if (inside === "" || inside.startsWith(`..${sep}`) || inside === "..")
    throw notAllowed("the template is outside fleet.templates");
  if (!(await isFolder(from)))
    throw workspaceAway(`Template "${template}" not found.`, "Check fleet.templates.");
  await cp(from, draft, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false });
}

async function clone({ git = "", ref }: Source, draft: string, { repositories }: FleetConfig): Promise<void> {
  if (git.startsWith("-") || !repositories.some((glob) => matchesName(glob, git)))
    throw notAllowed(`"${git}" is not one of fleet.repositories`);
  const branch = ref === undefined ? [] : ["--branch", ref];
  if (ref?.startsWith("-") === true) throw notAllowed(`"${ref}" is not a branch`);
  try {
    await promisify(execFile)("git", ["clone", "--quiet", ...branch, "--", git, draft], {
      timeout: cloneLimitMs,
      // Hooks and helpers of a foreign repository do not run, and nobody is asked for a password.
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", GIT_TERMINAL_PROMPT: "0" },
    });
  } catch (cause) {
    throw workspaceAway(
      `Cannot clone ${git}: ${messageOf(cause).slice(0, 500)}`,
      "Check the address and the permissions.",
    );
  }
}

function notAllowed(why: string): ToolPermissionError {
  return new ToolPermissionError(`The workspace cannot be created: ${why}.`, {
    hint: "Change the configuration of the worker or of the endpoint.",
  });
}
