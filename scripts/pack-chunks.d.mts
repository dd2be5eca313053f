/** Packs all CommonJS modules in a folder; see pack-chunks.mjs. */
export function packChunksIn(dir: string): void;
