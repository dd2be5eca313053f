import { renameSync, writeFileSync } from "node:fs";
import { readFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { KeptOutput } from "../../contract/ports/outputs.js";
import { makeFolder } from "../../contract/make-folder.js";

/** What is written beside a kept output. */
export interface OutputRecord extends KeptOutput {
  readonly sessionId: string;
}

/** The files of the store: `<handle>.out` and, once it is complete, `<handle>.json`. */
export interface OutputFiles {
  dataPath(handle: string): string;
  /** Make the private folder, if it is not there yet. */
  prepare(): Promise<void>;
  save(record: OutputRecord): void;
  load(handle: string): Promise<OutputRecord | undefined>;
  remove(handle: string): Promise<void>;
  list(): Promise<readonly StoredOutput[]>;
}

/** An output as it lies on the disk. */
export interface StoredOutput {
  readonly handle: string;
  readonly bytes: number;
  readonly modified: number;
  readonly record: OutputRecord | undefined;
}

/** Handles are 128 random bits, so that they cannot be guessed. */
export const handlePattern = /^out_[A-Za-z0-9_-]{22}$/;

/** The files of outputs in one folder that only its owner can enter. */
export function createOutputFiles(dir: string): OutputFiles {
  const dataPath = (handle: string): string => join(dir, `${handle}.out`);
  const recordPath = (handle: string): string => join(dir, `${handle}.json`);
  const load = (handle: string): Promise<OutputRecord | undefined> => readRecord(recordPath(handle));
  return {
    dataPath,
    async prepare() {
      makeFolder(dir, 0o700);
    },
    save(record) {
      // By a rename, so that another process never reads half a record. It is written sooner than another thread is told of it.
      const temporary = `${recordPath(record.handle)}.new`;
      writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
      renameSync(temporary, recordPath(record.handle));
    },
    load,
    async remove(handle) {
      await rm(recordPath(handle), { force: true });
      await rm(dataPath(handle), { force: true });
    },
    async list() {
      const names = await readdir(dir).catch(() => []);
      const handles = names.filter((name) => name.endsWith(".out")).map((name) => name.slice(0, -4));
      const found = await Promise.all(
        handles.map(async (handle) => {
          const info = await stat(dataPath(handle)).catch(() => undefined);
          if (info === undefined) return [];
          return [{ handle, bytes: info.size, modified: info.mtimeMs, record: await load(handle) }];
        }),
      );
      return found.flat();
    },
  };
}

async function readRecord(path: string): Promise<OutputRecord | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // not there, or not ours
  }
}

function isRecord(value: unknown): value is OutputRecord {
  const record = Object(value) as Record<keyof OutputRecord, unknown>;
  const numbers = [record.bytes, record.dropped, record.createdAt, record.expiresAt];
  return (
    typeof record.handle === "string" &&
    typeof record.sessionId === "string" &&
    numbers.every((number) => typeof number === "number")
  );
}
