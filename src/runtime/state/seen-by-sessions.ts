import type { SeenFiles } from "../../contract/ports/seen.js";
import { createSeenFiles } from "../../world/seen/seen-files.js";
import { createSeenKeeper } from "../../world/seen/seen-keeper.js";
import type { LazyState } from "./lazy-state.js";

export interface SeenBySessionsOptions {
  readonly canonical: (path: string, isReal?: boolean) => string;
  readonly state: LazyState;
  /** Called with work that closing must wait for. */
  readonly onWork: (work: Promise<void>) => void;
  readonly onWarning: (message: string) => void;
}

/** The files that each session has read; those of a named session are stored for the next process. */
export type SeenBySessions = (name?: string) => SeenFiles;

/** Start without any read files. */
export function createSeenBySessions({
  canonical,
  state,
  onWork,
  onWarning,
}: SeenBySessionsOptions): SeenBySessions {
  const named = new Map<string, SeenFiles>();
  const openNamed = (name: string): SeenFiles => {
    const keeper = createSeenKeeper({
      open: async (make) =>
        make || state.exists() ? (await state.open()).kv(`session-seen:${name}`) : undefined,
      onWork,
      onWarning,
    });
    return createSeenFiles({ canonical, keeper });
  };
  return (name) => {
    if (name === undefined) return createSeenFiles({ canonical });
    const seen = named.get(name) ?? openNamed(name);
    named.set(name, seen);
    return seen;
  };
}
