import { basename } from "node:path";
import { expandBraces } from "../../glob/expand-braces.js";
import { globstar, matchNames, toSegment, unescapeWildcard, type Segment } from "../../glob/wildcard.js";
import { foldName } from "../files/fold-name.js";
import { isWithin, relativeTo } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";

/**
 * The paths that a pattern covers below a link, if it leads to a folder: through the link `.cargo`, `conf/config.toml` is
 * `.cargo/config.toml`, too. A wildcard in the rest of a pattern stands for itself.
 */
export type LinkedPaths = (link: string) => readonly string[];

interface Way {
  /** Match the link itself. */
  readonly segments: readonly Segment[];
  readonly lastName: Segment;
  readonly rest: string;
}

/** Prepare a search in patterns of paths, which are relative to the workspace or absolute. */
export function createLinkedPaths(patterns: readonly string[], workspace: string): LinkedPaths {
  const ways = patterns.flatMap((pattern) => waysOf(pattern, workspace));
  return (link) => {
    const last = foldName(basename(link));
    const found = ways.filter(({ lastName }) => matchNames([lastName], [last]));
    if (found.length === 0) return [];
    const names = foldName(link).split("/");
    const led = found.filter(({ segments }) => matchNames(segments, names));
    return [...new Set(led.map(({ rest }) => `${link}/${rest}`))];
  };
}

function waysOf(pattern: string, workspace: string): Way[] {
  const bare = pattern.replace(/\/+$/, "").replace(/(?<=.)(?:\/\*\*)+$/, "");
  const text = bare.startsWith("/") ? insideOf(workspace, bare) : bare;
  if (text === undefined) return [];
  return expandBraces(foldName(text)).flatMap((form) => {
    const names = form.split("/").filter((name) => name !== "" && name !== ".");
    const segments = names.map(toSegment);
    return segments.flatMap((lastName, at) => {
      if (lastName === globstar || at === names.length - 1) return [];
      const rest = unescapeWildcard(names.slice(at + 1).join("/"));
      return [{ segments: segments.slice(0, at + 1), lastName, rest }];
    });
  });
}

/** Relative to the workspace; `undefined` if it covers nothing inside. */
function insideOf(workspace: string, absolute: string): string | undefined {
  const found = [absolute, realPathOf(absolute)].find((each) => isWithin(each, workspace));
  return found && relativeTo(found, workspace);
}
