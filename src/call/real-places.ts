import { resolve } from "node:path";
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
  if (real === resolve(root, named)) return [];
  const place = real.startsWith(`${root}/`) ? real.slice(root.length + 1) : real;
  return [{ ...resource, ["path" in resource ? "path" : "tree"]: place }];
}
