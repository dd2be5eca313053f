import { valueAt } from "../schema/fault.js";
import type { TenonConfig } from "./config-schema.js";
import type { LoadedSource } from "./load-source.js";
import type { LoadedConfig } from "./load-config.js";

/** A file that was read. */
export interface LocatedSource extends Pick<LoadedSource, "positionOf"> {
  readonly file: string;
  readonly config: TenonConfig;
}

/** The strongest source comes first. */
export function createPlaceOf(sources: readonly LocatedSource[]): NonNullable<LoadedConfig["placeOf"]> {
  return (path, fits) => {
    for (const { file, config, positionOf } of sources) {
      const value = valueAt(config, path);
      const index = fits === undefined || !Array.isArray(value) ? -1 : value.findIndex(fits);
      if (value === undefined || (fits !== undefined && index === -1)) continue;
      return { file, ...positionOf(index === -1 ? path : [...path, index]) };
    }
    return undefined;
  };
}
