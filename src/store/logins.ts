import { createHash } from "node:crypto";
import { ToolValidationError } from "../contract/errors.js";
import {
  includesRole,
  lowerRole,
  type AccessStore,
  type Identity,
  type Login,
  type NewLoginRules,
} from "../contract/ports/access.js";
import { embeddedPrincipal, namePattern, requirePrincipal, type PrincipalRow } from "./principal-rows.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

/** Principals that an identity provider vouches for. */
export function createLogins({
  database,
  clock,
}: StateParts): Pick<AccessStore, "signIn" | "identify" | "linkLogin"> {
  return {
    signIn: (login, rules = {}) =>
      database.transaction(async (tx) => {
        const known = (await find(tx, login)) ?? (await firstTime(tx, login, { ...rules, now: clock.now() }));
        if (known === undefined || known.disabled_at !== null) return undefined;
        const followed = await followRole(tx, known, login);
        return toIdentity(followed, login.role);
      }),
    async identify({ role, ...login }) {
      const row = await find(database, login);
      return row === undefined || row.disabled_at !== null ? undefined : toIdentity(row, role);
    },
    linkLogin: (name, login) =>
      database.transaction(async (tx) => {
        const principal = await requirePrincipal(tx, name);
        const taken = await find(tx, login);
        if (taken !== undefined && taken.name !== name) throw linkedAlready(login, taken.name);
        if (taken === undefined) await insertLogin(tx, login, { name, now: clock.now() });
        return principal;
      }),
  };
}

type LoginKey = Pick<Login, "issuer" | "subject">;

function find(sql: Sql, { issuer, subject }: LoginKey): Promise<PrincipalRow | undefined> {
  return sql.get<PrincipalRow>(
    "SELECT p.* FROM logins l JOIN principals p ON p.name = l.principal WHERE l.issuer = ? AND l.subject = ?",
    [issuer, subject],
  );
}

/** The principal that already has the name may be another person, so it is not taken over. */
async function firstTime(
  tx: Sql,
  login: Login,
  { addUsers = true, matchUsers = false, now }: NewLoginRules & { readonly now: number },
): Promise<PrincipalRow | undefined> {
  const wanted = toName(login.name);
  const holder = await tx.get<PrincipalRow>("SELECT * FROM principals WHERE name = ?", [wanted]);
  if (holder !== undefined && matchUsers && wanted === login.name && !(await isLinked(tx, wanted))) {
    await insertLogin(tx, login, { name: wanted, now });
    return holder;
  }
  if (!addUsers) return undefined;
  const name = holder === undefined ? wanted : withSuffix(wanted, login);
  await tx.run("INSERT INTO principals (name, kind, role, role_at, created_at) VALUES (?, ?, ?, ?, ?)", [
    name,
    login.kind,
    login.role,
    login.at,
    now,
  ]);
  await insertLogin(tx, login, { name, now });
  return find(tx, login);
}

async function isLinked(tx: Sql, name: string): Promise<boolean> {
  return (await tx.get("SELECT 1 AS one FROM logins WHERE principal = ?", [name])) !== undefined;
}

async function insertLogin(
  tx: Sql,
  { issuer, subject }: LoginKey,
  { name, now }: { readonly name: string; readonly now: number },
): Promise<void> {
  await tx.run("INSERT INTO logins (issuer, subject, principal, created_at) VALUES (?, ?, ?, ?)", [
    issuer,
    subject,
    name,
    now,
  ]);
}

/** A role that a provider gave follows it; an older statement, or one token's narrower scopes, take nothing away. */
async function followRole(tx: Sql, row: PrincipalRow, { role, at, isWhole }: Login): Promise<PrincipalRow> {
  const { role_at: since } = row;
  if (since === null || at < since || row.role === role) return row;
  if (!isWhole && includesRole(row.role, role)) return row;
  await tx.run("UPDATE principals SET role = ?, role_at = ? WHERE name = ?", [role, at, row.name]);
  return { ...row, role, role_at: at };
}

function toIdentity({ name, kind, role: limit }: PrincipalRow, role: Login["role"]): Identity {
  return { principal: name, kind, role: lowerRole(limit, role) };
}

/** A name as Tenon has them, made from what a provider says: no control characters, no look-alikes, no spaces. */
function toName(text: string): string {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z0-9._@+-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, 64);
  return namePattern.test(plain) && plain !== embeddedPrincipal ? plain : `user-${plain}`.slice(0, 64);
}

/** Always the same name for the same person. */
function withSuffix(name: string, { issuer, subject }: LoginKey): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([issuer, subject]))
    .digest("hex");
  return `${name.slice(0, 51)}-${hash.slice(0, 12)}`;
}

function linkedAlready({ subject }: LoginKey, name: string): Error {
  return new ToolValidationError(
    `The subject ${JSON.stringify(subject.slice(0, 80))} signs in as "${name}".`,
    {
      code: "VALUE_INVALID",
      hint: `Disable that user first if it is not wanted: tenon users disable ${name}`,
    },
  );
}
