import { ToolUnavailableError, ToolValidationError } from "../contract/errors.js";
import type { Json } from "../contract/json.js";
import type { KeyValue } from "../contract/ports/store.js";
import { parseColumn, toColumn } from "./json-column.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

/** How much one name space may keep. */
export interface StoreLimits {
  /** @default 1024 */
  readonly maxKeyBytes: number;
  /** @default 4 MB */
  readonly maxValueBytes: number;
  /** @default 256 MB */
  readonly maxBytes: number;
  /** @default 100000 */
  readonly maxKeys: number;
}

export const defaultStoreLimits: StoreLimits = {
  maxKeyBytes: 1024,
  maxValueBytes: 4 * 1024 * 1024,
  maxBytes: 256 * 1024 * 1024,
  maxKeys: 100_000,
};

/** Small durable values of one name space. */
export function createKeyValue(parts: StateParts, namespace: string, limits: StoreLimits): KeyValue {
  const { database } = parts;
  const bytesOf = async (tx: Sql, key: string): Promise<number | undefined> => {
    const sql = "SELECT bytes FROM kv WHERE namespace = ? AND key = ?";
    return (await tx.get<{ bytes: number }>(sql, [namespace, key]))?.bytes;
  };

  return {
    async get(key) {
      checkKey(key, limits);
      const sql = "SELECT value FROM kv WHERE namespace = ? AND key = ?";
      const row = await database.get<{ value: string }>(sql, [namespace, key]);
      return row && parseColumn<Json>(row.value, `value ${namespace}/${key}`, database.name);
    },
    async set(key, value) {
      checkKey(key, limits);
      const text = toColumn(value, `The value of "${key}"`);
      const bytes = Buffer.byteLength(text) + Buffer.byteLength(key);
      if (bytes > limits.maxValueBytes) throw tooLarge(key, bytes, limits);
      await database.transaction(async (tx) => {
        const old = await bytesOf(tx, key);
        const change = [namespace, old === undefined ? 1 : 0, bytes - (old ?? 0)];
        const usage = await tx.get<Usage>(addUsageSql, change);
        refuseOverflow(usage, { namespace, limits, grew: bytes > (old ?? -1) });
        await tx.run(
          `INSERT INTO kv (namespace, key, value, bytes) VALUES (?, ?, ?, ?)
           ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, bytes = excluded.bytes`,
          [namespace, key, text, bytes],
        );
      });
    },
    async delete(key) {
      checkKey(key, limits);
      return database.transaction(async (tx) => {
        const old = await bytesOf(tx, key);
        if (old === undefined) return false;
        await tx.run(addUsageSql, [namespace, -1, -old]);
        await tx.run("DELETE FROM kv WHERE namespace = ? AND key = ?", [namespace, key]);
        return true;
      });
    },
    async list(prefix = "") {
      const rows = await database.all<{ key: string }>(
        "SELECT key FROM kv WHERE namespace = ? AND key >= ? AND substr(key, 1, length(?)) = ? ORDER BY key",
        [namespace, prefix, prefix, prefix],
      );
      return rows.map((row) => row.key);
    },
  };
}

interface Usage {
  keys: number;
  bytes: number;
}

const addUsageSql = `
  INSERT INTO kv_usage (namespace, keys, bytes) VALUES (?, ?, ?)
  ON CONFLICT (namespace) DO UPDATE
  SET keys = kv_usage.keys + excluded.keys, bytes = kv_usage.bytes + excluded.bytes
  RETURNING keys, bytes`;

function checkKey(key: string, limits: StoreLimits): void {
  const problem = keyProblem(key, limits);
  if (problem === undefined) return;
  throw new ToolValidationError(`The key ${JSON.stringify(key.slice(0, 80))} cannot be used: ${problem}.`, {
    code: "VALUE_INVALID",
    hint: `Use 1 to ${limits.maxKeyBytes} bytes of plain text.`,
  });
}

function keyProblem(key: string, limits: StoreLimits): string | undefined {
  if (key === "") return "it is empty";
  if (Buffer.byteLength(key) > limits.maxKeyBytes) return "it is too long";
  // Both would come back from the database as another key.
  if (key.includes("\0")) return "it contains a NUL character";
  return /\p{Surrogate}/u.test(key) ? "it contains an incomplete character" : undefined;
}

function tooLarge(key: string, bytes: number, limits: StoreLimits): ToolValidationError {
  return new ToolValidationError(
    `The value of "${key}" has ${bytes} bytes; the limit is ${limits.maxValueBytes}.`,
    { code: "VALUE_INVALID", hint: "Split it into several keys, or store it in a file." },
  );
}

/** Thrown inside the transaction, which is rolled back. A value may always become smaller. */
function refuseOverflow(
  usage: Usage | undefined,
  { namespace, limits, grew }: { namespace: string; limits: StoreLimits; grew: boolean },
): void {
  if (usage === undefined || !grew) return;
  if (usage.keys <= limits.maxKeys && usage.bytes <= limits.maxBytes) return;
  const setting = usage.keys > limits.maxKeys ? "maxValues" : "maxValueBytes";
  throw new ToolUnavailableError(
    `The store "${namespace}" is full (${usage.keys} of ${limits.maxKeys} keys, ${usage.bytes} of ${limits.maxBytes} bytes).`,
    {
      code: "QUOTA_SPENT",
      hint: `Delete what is no longer needed and call again, or raise state.${setting} in the configuration.`,
      retryable: false,
    },
  );
}
