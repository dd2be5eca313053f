import { type FileHandle, open } from "node:fs/promises";
import { errnoOf } from "../../../contract/errno.js";

const chunkBytes = 1024 * 1024;

/** Whether two files of the same size have the same content; a file that cannot be read counts as different. */
export async function haveSameContent(one: string | Buffer, other: string | Buffer): Promise<boolean> {
  const files: FileHandle[] = [];
  try {
    for (const path of [one, other]) files.push(await open(path, "r"));
    const [first, second] = files as [FileHandle, FileHandle];
    for (;;) {
      const [left, right] = await Promise.all([readChunk(first), readChunk(second)]);
      if (!left.equals(right)) return false;
      if (left.length === 0) return true;
    }
  } catch (error) {
    if (unreadable.has(errnoOf(error) ?? "")) return false;
    throw error;
  } finally {
    for (const file of files) await file.close();
  }
}

const unreadable = new Set(["EACCES", "EPERM", "ENOENT"]);

async function readChunk(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let length = 0;
  while (length < chunkBytes) {
    const { bytesRead } = await file.read(buffer, length, chunkBytes - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
