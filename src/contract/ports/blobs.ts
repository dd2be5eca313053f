/** A content and its SHA-256 in hex, under which it is kept. */
export interface BlobRef {
  readonly hash: string;
  readonly size: number;
}

/** Takes a content of any size in chunks. */
export interface BlobWriter {
  write(chunk: Uint8Array): void;
  /** Keep what was written, synced to disk, under its hash. */
  finish(): Promise<BlobRef>;
  /** Forget what was written; harmless after `finish`. */
  abort(): void;
}

/** An open content; a reader of all of it checks the hash. */
export interface BlobReader {
  readonly size: number;
  readInto(buffer: Uint8Array, position: number): number;
  close(): void;
}

/** The content of an open file, to be kept. */
export interface BlobSource {
  readonly fd: number;
  /** A path to the same inode: where it lies on the same disk it is linked, not copied. */
  readonly linkFrom?: string;
}

/** Contents by their hash, each kept once, outside the workspace. */
export interface BlobStore {
  /** @param options.durable Synced to disk before it resolves. @default true */
  put(data: Uint8Array, options?: { readonly durable?: boolean }): Promise<BlobRef>;
  putFile(source: BlobSource): Promise<BlobRef>;
  create(): BlobWriter;
  open(hash: string): BlobReader;
  /** The whole content, its hash checked. */
  read(hash: string): Promise<Uint8Array>;
  /** Throw where the content is missing or no longer fits its hash. */
  verify(hash: string): Promise<void>;
  has(hash: string): boolean;
  remove(hash: string): void;
  list(): AsyncIterable<string>;
}
