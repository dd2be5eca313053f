import path from "node:path";
import { ToolValidationError } from "../../contract/errors.js";
import { isWithin } from "./path-text.js";
import { realPathOf } from "./real-path.js";

/** A directory that may be used: as it was written, and its real path. */
export interface PathRoot {
  readonly given: string;
  readonly real: string;
}

/** Roots, the workspace first, and how their platform compares names. */
export interface PlatformRoots {
  readonly roots: readonly PathRoot[];
  readonly platform: NodeJS.Platform;
}

/** The workspace and the further roots of `allowedPaths`, each resolved once. */
export function resolveRoots(workspace: string, allowed: readonly string[]): [PathRoot, ...PathRoot[]] {
  const home = resolveRoot(path.resolve(workspace));
  return [home, ...extraRoots(allowed, home)];
}

/** The real form of a path written through the root's own name, such as /tmp for /private/tmp. */
export function fromAlias(absolute: string, root: PathRoot, platform: NodeJS.Platform): string | undefined {
  const folds = platform === "darwin" || platform === "win32";
  for (const form of [root.given, root.real]) {
    const head = absolute.slice(0, form.length);
    const same = head === form || (folds && head.toLowerCase() === form.toLowerCase());
    const rest = absolute.slice(form.length);
    if (same && (rest === "" || rest.startsWith(path.sep) || form.endsWith(path.sep))) {
      return path.join(root.real, rest);
    }
  }
  return undefined;
}

/** The paths of a narrowing list, as written and as real paths. */
export function narrowedPaths(paths: readonly string[], { roots, platform }: PlatformRoots): string[] {
  return paths.flatMap((entry) => {
    const placed = path.resolve(roots[0]?.real ?? path.sep, withoutGlobTail(entry));
    const root = roots.find((each) => fromAlias(placed, each, platform) !== undefined);
    const absolute = (root && fromAlias(placed, root, platform)) ?? placed;
    return [absolute, realPathOf(absolute)];
  });
}

function resolveRoot(given: string): PathRoot {
  const real = realPathOf(given);
  // Bytes that are not valid UTF-8 would make two different paths look the same.
  if (real.includes("\uFFFD")) throw new ToolValidationError(`The path is not valid UTF-8: ${given}`);
  return { given, real };
}

function extraRoots(allowed: readonly string[], workspace: PathRoot): PathRoot[] {
  return (
    allowed
      .map((entry) => path.resolve(workspace.given, withoutGlobTail(entry)))
      // What is written inside the workspace is allowed already; following a link that the
      // workspace's content put there would let that content widen the rules.
      .filter((given) => !isWithin(given, workspace.given) && !isWithin(given, workspace.real))
      .map(resolveRoot)
  );
}

/** `dir/**` means dir. */
function withoutGlobTail(entry: string): string {
  if (entry === "**" || entry === "*") return ".";
  const bare = entry.replace(/(?:[\\/]\*\*?)+$/, "");
  return bare === "" ? path.sep : bare;
}
