export const lazyChunks: {
  name: string;
  renderChunk(code: string): { code: string; map: null } | undefined;
};
