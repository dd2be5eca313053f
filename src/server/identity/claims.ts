import type { ResolvedConfig } from "../../config/resolve-config.js";
import { isRecord } from "../../contract/is-record.js";
import { includesRole, lowerRole, type Login, type Role } from "../../contract/ports/access.js";

/** What a provider says about a person, after its signature was verified. */
export type Claims = Readonly<Record<string, unknown>>;

export type OAuthSettings = NonNullable<ResolvedConfig["auth"]["oauth"]>;
export type OidcSettings = NonNullable<ResolvedConfig["auth"]["oidc"]>;
type PeopleSettings = Pick<OidcSettings, "groups" | "groupsClaim" | "nameClaim" | "defaultRole">;

/** The role of a person by their groups; `undefined` where nothing gives them one. */
export function roleByGroups(claims: Claims, settings: PeopleSettings): Role | undefined {
  return highest(settings.groups, textsOf(claimAt(claims, settings.groupsClaim))) ?? settings.defaultRole;
}

/** The role of an access token: by its scopes, by the groups of its person, or the lower of both. */
export function roleOfToken(
  claims: Claims,
  settings: OAuthSettings,
): { readonly role: Role; readonly isWhole: boolean } | undefined {
  const byScope = highest(settings.scopes, scopesOf(claims));
  if (Object.keys(settings.scopes).length === 0) {
    const role = roleByGroups(claims, settings);
    return role === undefined ? undefined : { role, isWhole: true };
  }
  if (byScope === undefined) return undefined;
  if (Object.keys(settings.groups).length === 0) return { role: byScope, isWhole: false };
  const byGroup = roleByGroups(claims, settings);
  return byGroup === undefined ? undefined : { role: lowerRole(byScope, byGroup), isWhole: false };
}

/** The display name: the configured claim, otherwise the mail address, otherwise the subject. */
export function nameIn(claims: Claims, { nameClaim }: Pick<PeopleSettings, "nameClaim">): string {
  const email = claims["email_verified"] === false ? undefined : claims["email"];
  const found = [claimAt(claims, nameClaim), email, claims["sub"]].find(
    (each) => typeof each === "string" && each !== "",
  );
  return typeof found === "string" ? found : "";
}

/** A program that asks in its own name is its own subject. */
export function kindIn(claims: Claims): Login["kind"] {
  const client = claims["client_id"] ?? claims["azp"];
  return client !== undefined && claims["sub"] === client ? "program" : "person";
}

/** Whom a token that was refused claims to be; it may be a lie, and is used only to count such tokens. */
export function claimedSubject(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    const sub = isRecord(claims) ? claims["sub"] : undefined;
    return typeof sub === "string" ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** Scopes of an access token: a text with spaces, or a list as some providers write it. */
function scopesOf(claims: Claims): readonly string[] {
  return [claims["scope"], claims["scp"]].flatMap((given) =>
    typeof given === "string" ? given.split(" ") : textsOf(given),
  );
}

function highest(map: Readonly<Record<string, Role>>, names: readonly string[]): Role | undefined {
  const found = names.flatMap((name) => (Object.hasOwn(map, name) ? [map[name] as Role] : []));
  return found.reduce<Role | undefined>(
    (best, role) => (best !== undefined && includesRole(best, role) ? best : role),
    undefined,
  );
}

/** A claim by its whole name, which may hold dots, or by a path through objects. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split(".")
    .reduce<unknown>(
      (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      claims,
    );
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
