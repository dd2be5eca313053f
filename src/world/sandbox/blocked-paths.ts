import { resolve } from "node:path";
import type { BlockedPath } from "../../contract/ports/processes.js";
import { isWithin } from "../files/path-text.js";
import type { Mount } from "./mount-plan.js";
import type { SandboxView } from "./sandbox-view.js";

/** What decides which paths a command could not use. */
export interface BlockedPathOptions {
  /** The command line. */
  readonly line: string;
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  readonly view: Pick<SandboxView, "workspace" | "writable" | "readable" | "linkedGit" | "home"> & {
    readonly system: Pick<SandboxView["system"], "roots">;
    readonly tools: Pick<SandboxView["tools"], "programs">;
  };
}

const maxLines = 200;
const maxPaths = 10;

/** How programs report a path that they could not use. */
const faults = {
  missing: /no such file or directory|ENOENT|\[Errno 2\]/i,
  denied: /permission denied|EACCES|EPERM|operation not permitted|\[Errno 13\]/i,
  readOnly: /read-only file system|EROFS|\[Errno 30\]/i,
  busy: /device or resource busy|EBUSY|\[Errno 16\]/i,
};

/** Find the paths in the messages of a failed command that the sandbox kept from it. */
export function findBlockedPaths(output: string, options: BlockedPathOptions): BlockedPath[] {
  const found = new Map<string, BlockedPath>();
  for (const message of output.split("\n").slice(-maxLines)) {
    const kinds = kindsOf(message);
    if (kinds.size === 0) continue;
    for (const word of wordsIn(message)) {
      const path = resolve(options.cwd, word);
      const how = causeOf({ word, path, kinds }, options);
      if (how !== undefined && found.size < maxPaths) found.set(path, { path, how });
    }
  }
  return [...found.values()];
}

type Fault = keyof typeof faults;

function kindsOf(message: string): ReadonlySet<Fault> {
  const kinds = (Object.keys(faults) as Fault[]).filter((kind) => faults[kind].test(message));
  return new Set(kinds);
}

/** What stands in quotes, and words; colons end a word. */
function wordsIn(message: string): string[] {
  const quoted = [...message.matchAll(/['"`‘]([^'"`’]{1,1000})['"`’]/g)].map(([, text = ""]) => text);
  const plain = message.split(/[\s:'"`‘’(),]+/).filter((word) => /[\w/]/.test(word) && word.length <= 1000);
  return [...quoted, ...plain];
}

interface Candidate {
  readonly word: string;
  readonly path: string;
  readonly kinds: ReadonlySet<Fault>;
}

function causeOf(
  { word, path, kinds }: Candidate,
  { line, mounts, view }: BlockedPathOptions,
): BlockedPath["how"] | undefined {
  const around = mounts.filter((mount) => isWithin(path, mount.path));
  const innermost = around.at(-1);
  if (innermost?.kind === "mask" && (kinds.has("denied") || kinds.has("missing"))) return "hidden";
  if (innermost?.kind === "fix" && (kinds.has("readOnly") || kinds.has("busy"))) return "read-only";
  if (kinds.has("busy") && mounts.some((mount) => mount.path === path)) return "pinned";
  // Any word could be the name of a file in the current folder, so only paths count from here on.
  if (!word.startsWith("/") || isWithin(path, view.workspace)) return undefined;
  if (kinds.has("readOnly")) return "outside";
  if (!kinds.has("missing") && !kinds.has("denied")) return undefined;
  return isNamed(path, line, view.home) && !isVisible(path, view) ? "not visible" : undefined;
}

function isNamed(path: string, line: string, home: string | undefined): boolean {
  if (line.includes(path)) return true;
  if (home === undefined || !path.startsWith(`${home}/`)) return false;
  const below = path.slice(home.length);
  return ["~", "$HOME", "${HOME}"].some((name) => line.includes(`${name}${below}`));
}

/** Paths that the sandbox makes itself. */
const own = ["/tmp", "/var/tmp", "/dev", "/proc", "/bin", "/sbin", "/lib", "/lib64"];

function isVisible(path: string, view: BlockedPathOptions["view"]): boolean {
  const roots = [...view.writable, ...view.readable, ...view.linkedGit, ...view.tools.programs];
  if (roots.some((root) => isWithin(path, root))) return true;
  if (view.home !== undefined && isWithin(path, view.home)) return false;
  return [...view.system.roots, ...own].some((root) => isWithin(path, root));
}
