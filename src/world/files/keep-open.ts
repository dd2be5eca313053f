import type { Handle, Opener } from "./opener.js";
import { isWithin } from "./path-text.js";
import { toSystemPath } from "./raw-path.js";

/** An opener that keeps directories open; close it when the work is done. */
export interface KeptOpener extends Opener {
  close(): void;
}

const maxOpen = 32;

/** Which directories are opened only once, by the real paths of directories above them. */
export interface KeepOptions {
  /** Directories in it are not looked for again: what is reached through them stays that of the directory that was opened. */
  readonly pinned: string;
  /** A directory in which nobody but Tenon changes anything. Names in it are reached by their paths, which is faster. */
  readonly own: string;
}

/**
 * Keep the directories open that are opened by their paths: a change of many files opens the same few again and again.
 * Each time it is checked that the directory is still at its path, except where nobody else moves any.
 */
export function keepOpen(opener: Opener, { pinned, own }: KeepOptions): KeptOpener {
  const kept = new Map<string, KeptHandle>();
  const drop = (real: string): void => {
    kept.get(real)?.close();
    kept.delete(real);
  };
  return {
    kind: opener.kind,
    open(absolute) {
      const known = kept.get(absolute);
      const isOwn = isWithin(absolute, own);
      if (known !== undefined && (isOwn || isWithin(absolute, pinned) || known.isInPlace())) {
        // Inserted again, so that the least recently used comes first.
        kept.delete(absolute);
        kept.set(absolute, known);
        return known.shared;
      }
      drop(absolute);
      const handle = opener.open(absolute);
      if (!handle.stat.isDirectory() || handle.real !== absolute) return handle;
      const [oldest] = kept.keys();
      if (kept.size >= maxOpen && oldest !== undefined) drop(oldest);
      const shared = toShared(handle, isOwn && opener.kind === "descriptor");
      kept.set(absolute, { ...handle, shared });
      return shared;
    },
    openChild: (parent, name, real) => opener.openChild(parent, name, real),
    close() {
      for (const real of kept.keys()) drop(real);
    },
  };
}

/** A directory that is kept open, as those that use it see it. */
interface KeptHandle extends Handle {
  readonly shared: Handle;
}

/** A handle that others use, too, so that closing it does nothing. */
function toShared(handle: Handle, isPlain: boolean): Handle {
  const common = { ...handle, close: () => {} };
  if (!isPlain || handle.real.length > maxPlainChars) return common;
  const { real } = handle;
  // The system looks a path up in a fraction of the time that it takes by a descriptor.
  const at = (name: string | Buffer): string | Buffer =>
    typeof name === "string"
      ? toSystemPath(`${real}/${name}`)
      : Buffer.concat([Buffer.from(toSystemPath(`${real}/`)), name]);
  return { ...common, at: at as Handle["at"] };
}

/** A path may have 4095 bytes, and each character up to 4. */
const maxPlainChars = 900;
