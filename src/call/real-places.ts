import { basename, dirname, join, resolve } from "node:path";
import type { Resource } from "../contract/resources.js";

/** What finding real places needs. */
export interface PlaceDeps {
  /** The real path of the workspace. */
  readonly root: string;
  readonly canonicalPath: (path: string) => string;
}

/** The same resources, and where those are that are named through symbolic links: rules about either bind the call. */
export function withRealPlaces<Each extends Resource>(resources: readonly Each[], deps: PlaceDeps): Each[] {
  return [...resources, ...resources.flatMap((resource) => realPlaceOf(resource, deps))];
}

function realPlaceOf<Each extends Resource>(resource: Each, { root, canonicalPath }: PlaceDeps): Each[] {
  // The workspace as a whole, named only so that calls keep their order.
  if ("scope" in resource) return [];
  const named = "path" in resource ? resource.path : "tree" in resource ? resource.tree : undefined;
  if (named === undefined) return [];
  const real = canonicalPath(named);
  const written = resolve(root, named);
  if (real === written) return [];
  // A tool may act on a link itself, which has a real place of its own.
  const own = join(canonicalPath(dirname(written)), basename(written));
  const places = own === written ? [real] : [...new Set([real, own])];
  const key = "path" in resource ? "path" : "tree";
  return places.map((path) => ({
    ...resource,
    [key]: path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path,
  }));
}
