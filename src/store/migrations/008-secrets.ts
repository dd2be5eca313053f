import type { Migration } from "./migration.js";

/** Removed principals, and encrypted secrets by name, principal and endpoint ('' for all). A backup has none: their key is not in it either. */
export const secrets: Migration = {
  name: "secrets",
  tables: [],
  statements: ({ byCode }) => [
    `CREATE TABLE secrets (
       name TEXT ${byCode} NOT NULL, principal TEXT ${byCode} NOT NULL, endpoint TEXT ${byCode} NOT NULL,
       id TEXT NOT NULL, sealed TEXT NOT NULL, key_id TEXT NOT NULL,
       created_at BIGINT NOT NULL, changed_at BIGINT NOT NULL,
       PRIMARY KEY (name, principal, endpoint)
     )`,
    // A removed principal's name stays taken.
    `ALTER TABLE principals ADD COLUMN removed_at BIGINT`,
    `CREATE INDEX secrets_principal ON secrets (principal)`,
  ],
};
