import type { Migration } from "./migration.js";

/** People and programs with their tokens. A backup has no tokens: a restored state must not open to revoked ones. */
export const access: Migration = {
  name: "access",
  tables: ["principals"],
  statements: ({ byCode }) => [
    `CREATE TABLE principals (
       name TEXT ${byCode} PRIMARY KEY, kind TEXT NOT NULL, role TEXT NOT NULL,
       created_at BIGINT NOT NULL, disabled_at BIGINT
     )`,
    `CREATE TABLE tokens (
       id TEXT PRIMARY KEY, name TEXT ${byCode} NOT NULL, principal TEXT ${byCode} NOT NULL REFERENCES principals (name),
       hash TEXT ${byCode} NOT NULL UNIQUE, role TEXT NOT NULL, endpoint TEXT,
       created_at BIGINT NOT NULL, expires_at BIGINT, last_used_at BIGINT, revoked_at BIGINT
     )`,
    `CREATE INDEX tokens_name ON tokens (name)`,
    `CREATE INDEX tokens_principal ON tokens (principal)`,
  ],
};
