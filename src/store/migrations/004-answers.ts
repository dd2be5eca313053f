import type { Migration } from "./migration.js";

/** Answers of calls by the caller's key. They last a day and belong to running callers, so no backup has them. */
export const answers: Migration = {
  name: "answers",
  tables: [],
  statements: ({ byCode }) => [
    `CREATE TABLE answers (
       principal TEXT ${byCode} NOT NULL, name TEXT ${byCode} NOT NULL, fingerprint TEXT NOT NULL,
       call_id TEXT NOT NULL, owner TEXT NOT NULL, claimed_at BIGINT NOT NULL, ended_at BIGINT, answer TEXT,
       PRIMARY KEY (principal, name)
     )`,
    `CREATE INDEX answers_age ON answers (claimed_at)`,
  ],
};
