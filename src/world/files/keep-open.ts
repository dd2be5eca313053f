import type { Handle, Opener } from "./opener.js";
import { isWithin } from "./path-text.js";

/** An opener that keeps directories open; close it when the work is done. */
export interface KeptOpener extends Opener {
  close(): void;
}

const maxOpen = 32;

/**
 * Keep the directories open that are opened by their paths: a change of many files opens the same few again and again.
 * Each time it is checked that the directory is still at its path, except below `ownDir`, where nobody else moves any.
 */
export function keepOpen(opener: Opener, ownDir: string): KeptOpener {
  const kept = new Map<string, Handle>();
  const drop = (real: string): void => {
    kept.get(real)?.close();
    kept.delete(real);
  };
  return {
    kind: opener.kind,
    open(absolute) {
      const known = kept.get(absolute);
      const isKnown = known !== undefined && (isWithin(absolute, ownDir) || known.isInPlace());
      if (!isKnown) drop(absolute);
      const handle = isKnown ? known : opener.open(absolute);
      if (!handle.stat.isDirectory() || handle.real !== absolute) return handle;
      // Inserted again, so that the least recently used comes first.
      kept.delete(absolute);
      const [oldest] = kept.keys();
      if (kept.size >= maxOpen && oldest !== undefined) drop(oldest);
      kept.set(absolute, handle);
      return shared(handle);
    },
    openChild: (parent, name, real) => opener.openChild(parent, name, real),
    close() {
      for (const real of kept.keys()) drop(real);
    },
  };
}

/** A handle that others use, too, so that closing it does nothing. */
function shared(handle: Handle): Handle {
  return { ...handle, close: () => {} };
}
