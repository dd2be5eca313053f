/** Roles in ascending order: each includes everything that the previous ones may do. */
export const roles = ["viewer", "operator", "approver", "admin"] as const;
/** What a person may do, from the least. */
export type Role = (typeof roles)[number];

/** Whether a role may do what another one may. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** The lower of two roles. */
export function lowerRole(one: Role, other: Role): Role {
  return includesRole(one, other) ? other : one;
}

/** How the token of a user begins, so that people and scanners for secrets recognize one. */
export const tokenPrefix = "tnn_";

/** A person or a program that has a name here. */
export interface Principal {
  /** Lower case. It is never available again, because records and stored data refer to it. */
  readonly name: string;
  readonly kind: "person" | "program";
  readonly role: Role;
  /** The role follows the groups or scopes of an identity provider; `changePrincipal` ends that. */
  readonly roleFromLogin?: true | undefined;
  readonly createdAt: number;
  /** When it was disabled. */
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

/** Somebody for whom an identity provider vouches. */
export interface Login {
  /** The provider's address. */
  readonly issuer: string;
  /** The provider's own name for them, which never means anybody else. */
  readonly subject: string;
  /** What they are called; somebody new gets a name that is made from it. */
  readonly name: string;
  readonly kind: Principal["kind"];
  /** What their groups or scopes allow. */
  readonly role: Role;
  /** When the provider said so. */
  readonly at: number;
  /** `role` is all that the provider allows them, not only what one token may: the principal loses what it leaves out. */
  readonly isWhole: boolean;
}

/** What happens when a person signs in for the first time. */
export interface NewLoginRules {
  /** Add a principal. @default true */
  readonly addUsers?: boolean | undefined;
  /** Let them take over a principal of exactly their name that nobody signs in as yet. @default false */
  readonly matchUsers?: boolean | undefined;
}

/** An authenticated user, and what they may do now. */
export interface Identity {
  readonly principal: string;
  readonly kind: Principal["kind"];
  readonly role: Role;
  /** The named token that they came in with. */
  readonly tokenId?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** Which principals to list. */
export interface PrincipalQuery {
  /** Part of the name. */
  readonly text?: string | undefined;
  /** After the principal of this name. */
  readonly after?: string | undefined;
  /** @default all */
  readonly limit?: number | undefined;
}

/** Which tokens to list. */
export interface TokenQuery {
  /** Part of the name, or of its principal's. */
  readonly text?: string | undefined;
  readonly principal?: string | undefined;
  /** Only those that open something now. @default false */
  readonly valid?: boolean | undefined;
  /** After the token with this id. */
  readonly after?: string | undefined;
  /** @default all */
  readonly limit?: number | undefined;
}

/** Principals and their tokens. Every change is in force at once, in all processes on the same state. */
export interface AccessStore {
  /** By name. */
  principals(query?: PrincipalQuery): Promise<readonly Principal[]>;
  /** `undefined` where it does not exist, or was removed. */
  principal(name: string): Promise<Principal | undefined>;
  /** Add a principal; a name that was ever taken is refused. */
  addPrincipal(principal: Pick<Principal, "name" | "kind" | "role">): Promise<Principal>;
  /** Change the role, or whether the principal may come in. Disabling ends all of its tokens for good. */
  changePrincipal(
    name: string,
    change: { readonly role?: Role | undefined; readonly disabled?: boolean | undefined },
  ): Promise<Principal>;
  /** Remove a principal with its tokens and secrets, for good. Its name stays taken, and its logins stay out. */
  removePrincipal(name: string): Promise<void>;
  /** The oldest first. */
  tokens(query?: TokenQuery): Promise<readonly NamedToken[]>;
  /** The secret is returned here and never again. */
  createToken(token: NewToken): Promise<{ readonly token: NamedToken; readonly secret: string }>;
  /** By id, or by a name that only one valid token has. */
  revokeToken(idOrName: string): Promise<NamedToken>;
  /** Whose token this is; `undefined` where it is unknown, expired or revoked, or its principal disabled. */
  authenticate(secret: string): Promise<Identity | undefined>;
  /**
   * Who signs in through an identity provider; somebody new is added. The role of a principal that was added so
   * follows the provider, one that an admin gave is a limit. `undefined`: disabled, or new and not to be added.
   */
  signIn(login: Login, rules?: NewLoginRules): Promise<Identity | undefined>;
  /** The same for somebody who has signed in before; nothing is changed. */
  identify(login: Pick<Login, "issuer" | "subject" | "role">): Promise<Identity | undefined>;
  /** Let somebody sign in as a principal that exists. */
  linkLogin(name: string, login: Pick<Login, "issuer" | "subject">): Promise<Principal>;
}
