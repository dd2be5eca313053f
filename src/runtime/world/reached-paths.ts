import { existsSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { isFolder } from "../../contract/make-folder.js";
import { isWithin } from "../../world/files/path-text.js";
import { realPathOf } from "../../world/files/real-path.js";
import { programHome } from "../../world/sandbox/sandbox-types.js";
import type { TracedPath } from "../../world/sandbox/trace/read-trace.js";

/** The paths that a program tried to use and does not have. */
export interface ReachedPaths {
  /** It could be given these to read, or to write. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Keys, state and folders that contain them: only a person who names one opens it. */
  readonly withheld: readonly string[];
}

export interface ReachOptions {
  /** What was refused to it, by its paths inside the sandbox. */
  readonly refused: readonly TracedPath[];
  /** Paths that its command line and variables name. */
  readonly named: readonly string[];
  /** The folder that it was to be started in. */
  readonly cwd: string;
  /** Paths that it sees already, and those that it may write. */
  readonly visible: readonly string[];
  readonly writable: readonly string[];
  /** Never offered, and no folder that contains one. */
  readonly secrets: readonly string[];
  /** Folders that are too much to open as a whole. */
  readonly wide: readonly string[];
}

/** Work out which existing files and folders a program would need. */
export function findReachedPaths(options: ReachOptions): ReachedPaths {
  const { refused, named, visible, writable: writableNow } = options;
  const readable = new Set<string>();
  const writable = new Set<string>();
  const looked = new Set<string>();
  const withheld = new Set<string>();
  const offer = (path: string, into: Set<string>): void =>
    void (isOffered(path, options) ? into : withheld).add(path);
  for (const path of named) if (!isCovered(path, visible)) offer(withPackage(path, options), readable);
  for (const { path, access } of refused) {
    const outside = toOutside(path, options.cwd);
    const found = access === "write" ? nearestExisting(outside) : existsSync(outside) ? outside : undefined;
    if (found === undefined || isTemporary(found)) continue;
    if (access === "write") {
      if (!isCovered(found, writableNow) && !isSystem(found)) offer(realPathOf(found), writable);
    } else if (!isCovered(found, visible)) {
      offer(withPackage(found, options), access === "look" && isFolder(found) ? looked : readable);
    }
  }
  const used = [...readable, ...writable];
  // A look at each folder above a file is part of finding the file.
  const leadsOn = (path: string): boolean =>
    [...used, ...visible, ...named].some((other) => isWithin(other, path));
  return {
    readable: outermost(
      [...readable, ...[...looked].filter((path) => !leadsOn(path))].filter(
        (path) => !isCovered(path, [...writable]),
      ),
    ),
    writable: outermost([...writable]),
    withheld: outermost([...withheld].filter((path) => !leadsOn(path))),
  };
}

function isCovered(path: string, roots: readonly string[]): boolean {
  const real = realPathOf(path);
  return roots.some((root) => isWithin(path, root) || isWithin(real, root));
}

function isOffered(path: string, { secrets, wide }: ReachOptions): boolean {
  if (secrets.some((secret) => isWithin(path, secret))) return false;
  return path !== "/" && !wide.some((folder) => isWithin(folder, path));
}

/** A relative path was looked up in its own folder, if it could not be started in the configured one. */
function toOutside(path: string, cwd: string): string {
  return isWithin(path, programHome) ? resolve(cwd, relative(programHome, path)) : path;
}

/** A new file needs the folder that it is created in. */
function nearestExisting(path: string): string | undefined {
  if (existsSync(path)) return path;
  const folder = dirname(path);
  return existsSync(folder) ? folder : undefined;
}

function isTemporary(path: string): boolean {
  return (
    ["/proc", "/dev", "/sys", "/run", "/tmp", programHome].includes(path) ||
    /^\/(?:proc|dev|sys)\//.test(path)
  );
}

function isSystem(path: string): boolean {
  return /^\/(?:usr|etc|bin|sbin|lib\w*|opt|boot|var)(?:\/|$)/.test(path) || path === "/";
}

const codeFiles = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py"]);

/** Code needs what it imports: its packages, or its project. */
function withPackage(path: string, options: ReachOptions): string {
  const real = realPathOf(path);
  const packages = real.indexOf("/node_modules/");
  if (packages !== -1) return real.slice(0, packages + "/node_modules".length);
  if (!codeFiles.has(extname(real)) || statSync(real, { throwIfNoEntry: false })?.isFile() !== true)
    return real;
  for (
    let folder = dirname(real);
    isOffered(folder, options) && folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    const isProject = ["package.json", "pyproject.toml"].some((name) => existsSync(join(folder, name)));
    if (isProject) return folder;
  }
  return real;
}

function outermost(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, other))).toSorted();
}

/** The existing paths that a command line and variables name. */
export function namedPaths(words: readonly string[], cwd: string): string[] {
  const parts = words.flatMap((word) => (word.startsWith("-") ? word.split("=").slice(1) : [word]));
  const paths = parts.filter(
    (part) => /^[./~]|\/|\.\w+$/.test(part) && !part.includes("\0") && !/^\w+:\/\//.test(part),
  );
  return [...new Set(paths.map((part) => resolve(cwd, part)))].filter(
    (path) => path !== "/" && existsSync(path),
  );
}
