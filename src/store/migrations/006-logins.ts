import type { Migration } from "./migration.js";

/** Who signs in through an identity provider. */
export const logins: Migration = {
  name: "logins",
  tables: ["logins"],
  statements: ({ byCode }) => [
    // When a provider gave the role; none where an admin did.
    `ALTER TABLE principals ADD COLUMN role_at BIGINT`,
    `CREATE TABLE logins (
       issuer TEXT ${byCode} NOT NULL, subject TEXT ${byCode} NOT NULL,
       principal TEXT ${byCode} NOT NULL REFERENCES principals (name), created_at BIGINT NOT NULL,
       PRIMARY KEY (issuer, subject)
     )`,
    `CREATE INDEX logins_principal ON logins (principal)`,
  ],
};
