import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signalReaches } from "../store/process-identity.js";
import { errnoOf } from "../contract/errno.js";
import { openStateDir, privateDirectory } from "../store/state-dir.js";

/** A running server, as it is written into the state of its workspace for `tenon serve link`. */
export interface ServerRecord {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly startedAt: number;
  /** Makes links and ends sessions, for as long as the server runs. */
  readonly controlKey: string;
  /** SHA-256 of its certificate, where it encrypts. */
  readonly fingerprint?: string | undefined;
}

export interface ServerRecords {
  /** Write a server down, for its owner only; the result takes it out again. */
  add(record: ServerRecord): () => void;
  /** The servers whose process is still alive, oldest first; records that a crash left behind are removed. */
  list(): readonly ServerRecord[];
}

/** The running servers of a workspace, a file each in its state. */
export function openServerRecords(stateDir: string, workspace: string): ServerRecords {
  const dir = join(openStateDir(stateDir, workspace).dir, "servers");
  privateDirectory(dir);
  return {
    add(record) {
      const file = join(dir, `${record.port}-${record.pid}.json`);
      const draft = `${file}.${randomUUID()}`;
      writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx" });
      renameSync(draft, file);
      return () => rmSync(file, { force: true });
    },
    list() {
      const records: ServerRecord[] = [];
      for (const name of readdirSync(dir).filter((file) => file.endsWith(".json"))) {
        const record = read(join(dir, name));
        if (record !== undefined && signalReaches(record.pid)) records.push(record);
        else rmSync(join(dir, name), { force: true });
      }
      return records.sort((a, b) => a.startedAt - b.startedAt);
    },
  };
}

function read(file: string): ServerRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(file, "utf8")) as Partial<ServerRecord>;
    const whole = typeof record.url === "string" && typeof record.controlKey === "string";
    return whole && Number.isSafeInteger(record.pid) ? (record as ServerRecord) : undefined;
  } catch (error) {
    // Another command may have removed it; a file that is not valid JSON was never a record.
    if (errnoOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
