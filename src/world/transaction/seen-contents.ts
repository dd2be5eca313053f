/** A file as `lstat` or `fstat` reported it. */
export interface FileVersion {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly size: bigint | number;
}

/** Contents of small files, each read once for everything that the commit needs it for. */
export interface SeenContents {
  /** The content of this very version of a file. */
  find(version: FileVersion): Buffer | undefined;
  add(version: FileVersion, content: Buffer): void;
}

/** Larger files are read again: they are few, and reading them is not what takes the time. */
const maxFileBytes = 1 << 16;
const maxBytes = 1 << 23;

export function createSeenContents(): SeenContents {
  /** By inode: a text of all that tells versions apart takes longer to make than some contents take to read. */
  const contents = new Map<bigint, { readonly version: FileVersion; readonly content: Buffer }>();
  let bytes = 0;
  return {
    find(version) {
      const seen = contents.get(version.ino);
      return seen !== undefined && isSameVersion(seen.version, version) ? seen.content : undefined;
    },
    add({ dev, ino, mtimeNs, size }, content) {
      // A file that is being written has another size than it had.
      if (content.length !== Number(size) || content.length > maxFileBytes) return;
      if (bytes + content.length > maxBytes) return;
      bytes += content.length;
      contents.set(ino, { version: { dev, ino, mtimeNs, size }, content });
    },
  };
}

function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return one.dev === other.dev && one.mtimeNs === other.mtimeNs && Number(one.size) === Number(other.size);
}
