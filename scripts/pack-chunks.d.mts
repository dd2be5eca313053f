/** Packs some of the CommonJS modules in a folder; see pack-chunks.mjs. */
export function packChunksIn(dir: string, which: RegExp): void;
