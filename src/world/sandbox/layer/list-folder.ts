import { chmodSync, lstatSync, opendirSync } from "node:fs";
import { createPause } from "../../files/pause.js";

/** How many names are read at a time. */
const bufferSize = 256;

/**
 * The raw names in a folder. A folder that its owner cannot read, as commands may leave it, is opened for the time of
 * the listing.
 */
export async function* namesIn(folder: string | Buffer): AsyncIterable<Buffer> {
  const restore = makeReadable(folder);
  try {
    // The types do not know that names can be read as bytes.
    const options = { bufferSize, encoding: "buffer" as BufferEncoding };
    const listing = opendirSync(folder, options);
    const breathe = createPause();
    try {
      // Most folders are small: they are read sooner than another thread is told of them.
      for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
        yield entry.name as unknown as Buffer;
        await breathe();
      }
    } finally {
      listing.closeSync();
    }
  } finally {
    restore?.();
  }
}

const ownerRights = 0o500;

function makeReadable(folder: string | Buffer): (() => void) | undefined {
  const { mode, uid } = lstatSync(folder);
  const me = process.getuid?.();
  if (me === 0 || me !== uid || (mode & ownerRights) === ownerRights) return undefined;
  chmodSync(folder, (mode & 0o7777) | ownerRights);
  return () => chmodSync(folder, mode & 0o7777);
}
