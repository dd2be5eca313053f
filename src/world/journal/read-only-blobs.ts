import { createHash } from "node:crypto";
import type { BlobRef, BlobStore, BlobWriter } from "../../contract/ports/blobs.js";
import { readDescriptor } from "./sources.js";

/** Contents that can be read but get no new ones: for a plan that is only looked at. */
export function createReadOnlyBlobs(blobs: BlobStore): BlobStore {
  return {
    ...blobs,
    put: async (data) => ({ hash: createHash("sha256").update(data).digest("hex"), size: data.length }),
    async putFile({ fd }) {
      const writer = createHashingWriter();
      for await (const chunk of readDescriptor(fd, BigInt(Number.MAX_SAFE_INTEGER))) writer.write(chunk);
      return writer.finish();
    },
    create: createHashingWriter,
    remove: () => {},
  };
}

function createHashingWriter(): BlobWriter {
  const digest = createHash("sha256");
  let size = 0;
  return {
    write(chunk) {
      digest.update(chunk);
      size += chunk.length;
    },
    finish: async (): Promise<BlobRef> => ({ hash: digest.digest("hex"), size }),
    abort: () => {},
  };
}
