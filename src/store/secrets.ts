import { ToolUnavailableError } from "../contract/errors.js";
import type { NewSecret, SecretInfo, SecretKeys, SecretRef, SecretScope } from "../contract/ports/secrets.js";
import { seal, unseal } from "../contract/seal.js";
import { requirePrincipal } from "./principal-rows.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

/** A stored value that cannot be read without its key. */
export interface SealedSecret {
  readonly name: string;
  /** Another one after each change of the value. */
  readonly id: string;
  /** Decrypt it; throws where the key is another one. */
  open(keys: SecretKeys): string;
}

/** Secrets as the state holds them: encrypted. Keys are read inside the transaction, so that none is out of date. */
export interface StoredSecrets {
  list(): Promise<readonly SecretInfo[]>;
  set(secret: NewSecret, readKeys: () => SecretKeys): Promise<SecretInfo>;
  remove(secret: SecretRef): Promise<boolean>;
  /** Of each name the secret that fits the caller best: its own before its endpoint's before everybody's. */
  findFor(names: readonly string[], caller: SecretScope): Promise<readonly SealedSecret[]>;
  /** Encrypt all with the first key. Returns how many were encrypted with another one. */
  reseal(readKeys: () => SecretKeys): Promise<number>;
}

/** @param options `hasUsers`: whether the users of the state are all there are; a fleet has them elsewhere, for all workspaces. */
export function createStoredSecrets(
  { database, clock, newId }: StateParts,
  { hasUsers = true }: { readonly hasUsers?: boolean } = {},
): StoredSecrets {
  return {
    async list() {
      const rows = await database.all<SecretRow>("SELECT * FROM secrets ORDER BY name, principal, endpoint");
      return rows.map(toInfo);
    },
    set: ({ value, ...secret }, readKeys) =>
      database.transaction(async (tx) => {
        await lock(tx);
        if (hasUsers && secret.user !== undefined) await requirePrincipal(tx, secret.user);
        const [key] = readKeys();
        const [name, principal, endpoint] = keyOf(secret);
        const sealed = seal(value, key.bytes, purposeOf({ name, principal, endpoint }));
        const now = clock.now();
        await tx.run(
          `INSERT INTO secrets (name, principal, endpoint, id, sealed, key_id, created_at, changed_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (name, principal, endpoint) DO UPDATE
           SET id = excluded.id, sealed = excluded.sealed, key_id = excluded.key_id, changed_at = excluded.changed_at`,
          [name, principal, endpoint, newId(), sealed, key.id, now, now],
        );
        return toInfo((await findRow(tx, secret)) as SecretRow);
      }),
    remove: (secret) =>
      database.transaction(async (tx) => {
        const there = await findRow(tx, secret);
        await tx.run("DELETE FROM secrets WHERE name = ? AND principal = ? AND endpoint = ?", keyOf(secret));
        return there !== undefined;
      }),
    async findFor(names, { user = "", endpoint = "" }) {
      if (names.length === 0) return [];
      const rows = await database.all<SecretRow>(
        `SELECT * FROM secrets WHERE name IN (${names.map(() => "?").join(", ")})
         AND (principal = '' OR principal = ?) AND (endpoint = '' OR endpoint = ?)`,
        [...names, user, endpoint],
      );
      return names.flatMap((name) => {
        const fitting = rows.filter((row) => row.name === name).sort((a, b) => fitOf(b) - fitOf(a));
        return fitting.slice(0, 1).map((row) => ({ name, id: row.id, open: (keys) => openRow(row, keys) }));
      });
    },
    reseal: (readKeys) =>
      database.transaction(async (tx) => {
        await lock(tx);
        const keys = readKeys();
        const [{ id, bytes }] = keys;
        const rows = await tx.all<SecretRow>("SELECT * FROM secrets WHERE key_id <> ?", [id]);
        for (const row of rows) {
          const sealed = seal(openRow(row, keys), bytes, purposeOf(row));
          await tx.run(
            "UPDATE secrets SET sealed = ?, key_id = ? WHERE name = ? AND principal = ? AND endpoint = ?",
            [sealed, id, row.name, row.principal, row.endpoint],
          );
        }
        return rows.length;
      }),
  };
}

interface SecretRow {
  name: string;
  principal: string;
  endpoint: string;
  id: string;
  sealed: string;
  key_id: string;
  created_at: number;
  changed_at: number;
}

/** A key that is replaced meanwhile must not be used for a new value, so changes wait for each other. */
async function lock(tx: Sql): Promise<void> {
  await tx.run(
    "INSERT INTO meta (key, value) VALUES ('secrets', '') ON CONFLICT (key) DO UPDATE SET value = ''",
  );
}

function keyOf({ name, user = "", endpoint = "" }: SecretRef): [string, string, string] {
  return [name, user, endpoint];
}

function findRow(tx: Sql, secret: SecretRef): Promise<SecretRow | undefined> {
  const sql = "SELECT * FROM secrets WHERE name = ? AND principal = ? AND endpoint = ?";
  return tx.get<SecretRow>(sql, keyOf(secret));
}

function fitOf({ principal, endpoint }: SecretRow): number {
  return (principal === "" ? 0 : 2) + (endpoint === "" ? 0 : 1);
}

/** A value opens in its own place only: one cannot be put in the place of another. */
function purposeOf({
  name,
  principal,
  endpoint,
}: Pick<SecretRow, "name" | "principal" | "endpoint">): string {
  return JSON.stringify(["tenon secret", name, principal, endpoint]);
}

function openRow(row: SecretRow, keys: SecretKeys): string {
  const key = keys.find(({ id }) => id === row.key_id);
  if (key === undefined) throw wrongKey(row, keys);
  const value = unseal(row.sealed, key.bytes, purposeOf(row));
  if (value === undefined) throw damaged(row);
  return value;
}

function toInfo({ name, principal, endpoint, key_id, created_at, changed_at }: SecretRow): SecretInfo {
  return {
    name,
    ...(principal !== "" && { user: principal }),
    ...(endpoint !== "" && { endpoint }),
    createdAt: created_at,
    changedAt: changed_at,
    keyId: key_id,
  };
}

function wrongKey({ name, key_id }: SecretRow, [current]: SecretKeys): Error {
  return new ToolUnavailableError(
    `The secret "${name}" is encrypted with the key ${key_id}; the key in use is ${current.id}.`,
    {
      code: "SECRETS_KEY_WRONG",
      hint: "Use the key that it was stored with (TENON_SECRETS_KEY or secrets.keyFile), or store it again. Nothing was changed.",
      retryable: false,
    },
  );
}

function damaged({ name }: SecretRow): Error {
  return new ToolUnavailableError(`The stored secret "${name}" cannot be decrypted: it was changed.`, {
    code: "SECRETS_KEY_WRONG",
    hint: `Store it again with: tenon secrets set ${name}`,
    retryable: false,
  });
}
