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
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  return {
    find: (version) => contents.get(keyOf(version)),
    add(version, content) {
      // A file that is being written has another size than it had.
      if (content.length !== Number(version.size) || content.length > maxFileBytes) return;
      if (bytes + content.length > maxBytes) return;
      bytes += content.length;
      contents.set(keyOf(version), content);
    },
  };
}

function keyOf({ dev, ino, mtimeNs, size }: FileVersion): string {
  return `${dev}:${ino}:${mtimeNs}:${size}`;
}
