import { hash, randomBytes } from "node:crypto";
import { ToolResourceNotFoundError, ToolValidationError } from "../contract/errors.js";
import {
  includesRole,
  lowerRole,
  tokenPrefix,
  type AccessStore,
  type Identity,
  type NamedToken,
  type Principal,
  type Role,
} from "../contract/ports/access.js";
import { nearest } from "../schema/nearest.js";
import { createLogins } from "./logins.js";
import {
  embeddedPrincipal,
  namePattern,
  requirePrincipal,
  toPrincipal,
  type PrincipalRow,
} from "./principal-rows.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

/** The last use of a token is written down at most this often. */
const usedEveryMs = 60_000;

/** People and programs, and their access tokens. */
export function createAccess(parts: StateParts): AccessStore {
  const { database, clock, newId } = parts;
  return {
    ...createLogins(parts),
    async principals({ text = "", after = "", limit = all } = {}) {
      const rows = await database.all<PrincipalRow>(
        `SELECT * FROM principals WHERE removed_at IS NULL AND name > ? AND name LIKE ? ESCAPE '!'
         ORDER BY name LIMIT ?`,
        [after, containing(text), limit],
      );
      return rows.map(toPrincipal);
    },
    async principal(name) {
      const row = await database.get<PrincipalRow>(
        "SELECT * FROM principals WHERE name = ? AND removed_at IS NULL",
        [name],
      );
      return row && toPrincipal(row);
    },
    removePrincipal: (name) =>
      database.transaction(async (tx) => {
        await requirePrincipal(tx, name);
        const now = clock.now();
        const gone = "UPDATE principals SET removed_at = ?, disabled_at = ? WHERE name = ?";
        await tx.run(gone, [now, now, name]);
        await tx.run("DELETE FROM tokens WHERE principal = ?", [name]);
        await tx.run("DELETE FROM secrets WHERE principal = ?", [name]);
      }),
    addPrincipal: ({ name, kind, role }) =>
      database.transaction(async (tx) => {
        checkName(name);
        if ((await tx.get("SELECT 1 AS one FROM principals WHERE name = ?", [name])) !== undefined)
          throw nameTaken(name);
        await tx.run("INSERT INTO principals (name, kind, role, created_at) VALUES (?, ?, ?, ?)", [
          name,
          kind,
          role,
          clock.now(),
        ]);
        return requirePrincipal(tx, name);
      }),
    changePrincipal: (name, { role, disabled }) =>
      database.transaction(async (tx) => {
        const before = await requirePrincipal(tx, name);
        const now = clock.now();
        const disabledAt = disabled === undefined ? before.disabledAt : disabled ? now : undefined;
        await tx.run("UPDATE principals SET role = ?, disabled_at = ? WHERE name = ?", [
          role ?? before.role,
          disabledAt ?? null,
          name,
        ]);
        if (role !== undefined) await tx.run("UPDATE principals SET role_at = NULL WHERE name = ?", [name]);
        if (disabled === true)
          await tx.run("UPDATE tokens SET revoked_at = ? WHERE principal = ? AND revoked_at IS NULL", [
            now,
            name,
          ]);
        return requirePrincipal(tx, name);
      }),
    async tokens({ text = "", principal, valid = false, after, limit = all } = {}) {
      const conditions: [string, ...(string | number)[]][] = [
        ["(name LIKE ? ESCAPE '!' OR principal LIKE ? ESCAPE '!')", containing(text), containing(text)],
        ...(principal === undefined ? [] : [["principal = ?", principal] as [string, string]]),
        ...(valid ? [[`revoked_at IS NULL AND ${isNotExpired}`, clock.now()] as [string, number]] : []),
        ...(after === undefined
          ? []
          : [
              ["(created_at, id) > (SELECT created_at, id FROM tokens WHERE id = ?)", after] as [
                string,
                string,
              ],
            ]),
      ];
      const rows = await database.all<TokenRow>(
        `SELECT * FROM tokens WHERE ${conditions.map(([sql]) => sql).join(" AND ")} ORDER BY created_at, id LIMIT ?`,
        [...conditions.flatMap(([, ...parameters]) => parameters), limit],
      );
      return rows.map(toToken);
    },
    createToken: ({ name, principal, role, endpoint, expiresAt }) =>
      database.transaction(async (tx) => {
        checkName(name);
        if (endpoint !== undefined) checkName(endpoint);
        const owner = await requirePrincipal(tx, principal);
        if (owner.disabledAt !== undefined) throw ownerDisabled(principal);
        if (!includesRole(owner.role, role)) throw roleTooHigh(owner, role);
        if (expiresAt !== undefined && !(expiresAt > clock.now())) throw expiresInThePast();
        if ((await validTokens(tx, "name = ?", [name, clock.now()])).length > 0) throw tokenNameTaken(name);
        const id = newId();
        const secret = `${tokenPrefix}${randomBytes(32).toString("base64url")}`;
        await tx.run(
          `INSERT INTO tokens (id, name, principal, hash, role, endpoint, created_at, expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          [id, name, principal, hashOf(secret), role, endpoint ?? null, clock.now(), expiresAt ?? null],
        );
        const row = (await tx.get<TokenRow>("SELECT * FROM tokens WHERE id = ?", [id])) as TokenRow;
        return { token: toToken(row), secret };
      }),
    revokeToken: (idOrName) =>
      database.transaction(async (tx) => {
        const byId = await tx.get<TokenRow>("SELECT * FROM tokens WHERE id = ?", [idOrName]);
        const row = byId ?? (await validTokens(tx, "name = ?", [idOrName, clock.now()]))[0];
        if (row === undefined) throw await unknownToken(tx, idOrName);
        const revokedAt = row.revoked_at ?? clock.now();
        await tx.run("UPDATE tokens SET revoked_at = ? WHERE id = ?", [revokedAt, row.id]);
        return toToken({ ...row, revoked_at: revokedAt });
      }),
    async authenticate(secret) {
      if (!secret.startsWith(tokenPrefix) || secret.length > maxSecretChars) return undefined;
      const now = clock.now();
      const row = await database.get<IdentityRow>(identitySql, [hashOf(secret), now]);
      if (row === undefined) return undefined;
      if (now - (row.last_used_at ?? 0) >= usedEveryMs)
        await database.run("UPDATE tokens SET last_used_at = ? WHERE id = ?", [now, row.id]);
      return toIdentity(row);
    },
  };
}

const maxSecretChars = 200;
const all = Number.MAX_SAFE_INTEGER;
const isNotExpired = "(expires_at IS NULL OR expires_at > ?)";

/** A pattern for texts that contain this one. */
function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[!%_]/g, "!$&")}%`;
}

const identitySql = `SELECT t.id, t.principal, t.role, t.endpoint, t.last_used_at, p.kind, p.role AS owner_role
  FROM tokens t JOIN principals p ON p.name = t.principal
  WHERE t.hash = ? AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?) AND p.disabled_at IS NULL`;

interface TokenRow {
  id: string;
  name: string;
  principal: string;
  role: Role;
  endpoint: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
}

type IdentityRow = Pick<TokenRow, "id" | "principal" | "role" | "endpoint" | "last_used_at"> & {
  kind: Principal["kind"];
  owner_role: Role;
};

function toToken(row: TokenRow): NamedToken {
  return {
    id: row.id,
    name: row.name,
    principal: row.principal,
    role: row.role,
    ...(row.endpoint !== null && { endpoint: row.endpoint }),
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
  };
}

/** A lower role of the principal applies to its tokens, too. */
function toIdentity({ id, principal, kind, role, owner_role, endpoint }: IdentityRow): Identity {
  return {
    principal,
    kind,
    role: lowerRole(owner_role, role),
    tokenId: id,
    ...(endpoint !== null && { endpoint }),
  };
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

/** Valid tokens; the last parameter is the current time. */
function validTokens(tx: Sql, condition: string, parameters: readonly (string | number)[]) {
  return tx.all<TokenRow>(
    `SELECT * FROM tokens WHERE ${condition} AND revoked_at IS NULL AND ${isNotExpired}`,
    parameters,
  );
}

async function unknownToken(tx: Sql, name: string): Promise<Error> {
  const rows = await tx.all<{ name: string }>("SELECT name FROM tokens WHERE revoked_at IS NULL LIMIT 1000");
  const near = nearest(
    name,
    rows.map((row) => row.name),
  );
  return new ToolResourceNotFoundError(`Token ${JSON.stringify(name)} not found.`, {
    hint: near === undefined ? "List the tokens with: tenon tokens list" : `Did you mean "${near}"?`,
  });
}

function checkName(name: string): void {
  if (namePattern.test(name) && name !== embeddedPrincipal) return;
  throw new ToolValidationError(`${JSON.stringify(name.slice(0, 80))} is not a valid name.`, {
    code: "VALUE_INVALID",
    hint: "Use 1 to 64 lower-case letters, digits or . _ @ + -, starting with a letter or digit.",
  });
}

function nameTaken(name: string): Error {
  return new ToolValidationError(`The name "${name}" is already taken.`, {
    code: "VALUE_INVALID",
    hint: `A name stays with its first owner, because the log refers to it. Use another one, or: tenon users enable ${name}`,
  });
}

function tokenNameTaken(name: string): Error {
  return new ToolValidationError(`A valid token named "${name}" exists already.`, {
    code: "VALUE_INVALID",
    hint: `Use another name, or revoke it first: tenon tokens revoke ${name}`,
  });
}

function ownerDisabled(name: string): Error {
  return new ToolValidationError(`User "${name}" is disabled.`, {
    code: "VALUE_INVALID",
    hint: `Enable it first: tenon users enable ${name}`,
  });
}

function roleTooHigh({ name, role }: Principal, wanted: Role): Error {
  return new ToolValidationError(`User "${name}" is ${role}, so a token cannot be ${wanted}.`, {
    code: "VALUE_INVALID",
    hint: `Choose a lower role for the token, or: tenon users role ${name} ${wanted}`,
  });
}

function expiresInThePast(): Error {
  return new ToolValidationError("The token would have expired already.", {
    code: "VALUE_INVALID",
    hint: "Choose a time in the future.",
  });
}
