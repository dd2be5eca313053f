/** What somebody may do. Each role may do everything that the ones before it may. */
export const roles = ["viewer", "operator", "approver", "admin"] as const;
/** What a person may do, from the least. */
export type Role = (typeof roles)[number];

/** Whether a role may do what another one may. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** How the token of a user begins, so that people and scanners for secrets recognize one. */
export const tokenPrefix = "tnn_";

/** A person or a program that has a name here. */
export interface Principal {
  /** Lower case. It stays taken for good, because records and stored data refer to it. */
  readonly name: string;
  readonly kind: "person" | "program";
  readonly role: Role;
  readonly createdAt: number;
  /** Since when it may not come in any more. */
  readonly disabledAt?: number | undefined;
}

/** A token as it is listed. The secret itself is stored nowhere. */
export interface NamedToken {
  readonly id: string;
  /** What its owner calls it. */
  readonly name: string;
  readonly principal: string;
  /** What the token may do at most; the role of the principal is a limit too. */
  readonly role: Role;
  /** The only MCP endpoint that it opens. It opens nothing else. */
  readonly endpoint?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  /** Accurate to a minute. */
  readonly lastUsedAt?: number | undefined;
  readonly revokedAt?: number | undefined;
}

/** A token to create: whose it is, and what it may do. */
export interface NewToken {
  readonly name: string;
  readonly principal: string;
  readonly role: Role;
  readonly endpoint?: string | undefined;
  readonly expiresAt?: number | undefined;
}

/** Who a token belongs to, and what it may do now. */
export interface Identity {
  readonly principal: string;
  readonly kind: Principal["kind"];
  readonly role: Role;
  readonly tokenId: string;
  readonly endpoint?: string | undefined;
}

/** Principals and their tokens. Every change is in force at once, in all processes on the same state. */
export interface AccessStore {
  principals(): Promise<readonly Principal[]>;
  /** Add a principal; a name that was ever taken is refused. */
  addPrincipal(principal: Pick<Principal, "name" | "kind" | "role">): Promise<Principal>;
  /** Change the role, or whether the principal may come in. Disabling ends all of its tokens for good. */
  changePrincipal(
    name: string,
    change: { readonly role?: Role | undefined; readonly disabled?: boolean | undefined },
  ): Promise<Principal>;
  tokens(): Promise<readonly NamedToken[]>;
  /** The secret is returned here and never again. */
  createToken(token: NewToken): Promise<{ readonly token: NamedToken; readonly secret: string }>;
  /** By id, or by a name that only one valid token has. */
  revokeToken(idOrName: string): Promise<NamedToken>;
  /** Whose token this is; `undefined` where it is unknown, expired or revoked, or its principal disabled. */
  authenticate(secret: string): Promise<Identity | undefined>;
}
