import { ToolResourceNotFoundError } from "../contract/errors.js";
import type { Principal, Role } from "../contract/ports/access.js";
import { nearest } from "../schema/nearest.js";
import type { Sql } from "./sql.js";

/** Names stand in logs, commands and addresses, so they hold nothing that could be mistaken there. */
export const namePattern = /^[a-z0-9][a-z0-9._@+-]{0,63}$/;

/** The principal of everything that needs no token: the library, the command line, `tenon mcp`. */
export const embeddedPrincipal = "local";

export interface PrincipalRow {
  name: string;
  kind: Principal["kind"];
  role: Role;
  role_at: number | null;
  created_at: number;
  disabled_at: number | null;
}

export function toPrincipal({ name, kind, role, role_at, created_at, disabled_at }: PrincipalRow): Principal {
  return {
    name,
    kind,
    role,
    ...(role_at !== null && { roleFromLogin: true as const }),
    createdAt: created_at,
    ...(disabled_at !== null && { disabledAt: disabled_at }),
  };
}

/** The principal of a name; an unknown one is refused with the nearest that exists. */
export async function requirePrincipal(tx: Sql, name: string): Promise<Principal> {
  const row = await tx.get<PrincipalRow>("SELECT * FROM principals WHERE name = ? AND removed_at IS NULL", [
    name,
  ]);
  if (row !== undefined) return toPrincipal(row);
  const rows = await tx.all<{ name: string }>(
    "SELECT name FROM principals WHERE removed_at IS NULL ORDER BY created_at DESC LIMIT 1000",
  );
  const near = nearest(
    name,
    rows.map((each) => each.name),
  );
  throw new ToolResourceNotFoundError(`User ${JSON.stringify(name)} not found.`, {
    hint: near === undefined ? "List the users with: tenon users list" : `Did you mean "${near}"?`,
  });
}
