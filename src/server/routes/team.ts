import type { Context, Hono } from "hono";
import * as z from "zod";
import { includesRole, roles } from "../../contract/ports/access.js";
import type { SecretRef } from "../../contract/ports/secrets.js";
import { secretName } from "../../contract/secret-references.js";
import type { CreatedToken, HostView, Page, SecretView, TokenView, UserView } from "../api.js";
import { HttpError, notFound } from "../http-error.js";
import { readBody, readParam, readQuery } from "../read-request.js";
import { requestActs, requestUser } from "../request-person.js";
import { requireRole } from "../route-roles.js";
import type { RouteContext } from "../route-context.js";

const name = z.string().min(1).max(64);
const paging = {
  text: z.string().max(64).optional(),
  after: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
};
const usersQuery = z.strictObject(paging);
const tokensQuery = z.strictObject({ ...paging, user: name.optional(), all: z.literal("true").optional() });
const userBody = z.strictObject({
  name,
  role: z.enum(roles),
  kind: z.enum(["person", "program"]).default("person"),
});
const changeBody = z
  .strictObject({ role: z.enum(roles).optional(), disabled: z.boolean().optional() })
  .refine(({ role, disabled }) => role !== undefined || disabled !== undefined, 'Send "role" or "disabled".');
const tokenBody = z.strictObject({
  name,
  /** @default a program with the name of the token, which is added if it does not exist */
  user: name.optional(),
  role: z.enum(roles).optional(),
  endpoint: name.optional(),
  /** `null`: never. */
  expiresAt: z.number().int().positive().nullable().optional(),
});
const scope = { user: name.optional(), endpoint: name.optional() };
const secretBody = z.strictObject({ value: z.string().min(1).max(32_768), ...scope });
const secretQuery = z.strictObject(scope);

/** Unless it is said otherwise. */
const defaultLifetimeMs = 90 * 86_400_000;

/** The people and programs that use this server, their tokens and secrets, and their connections. */
export function addTeam(api: Hono, served: RouteContext): void {
  addUsers(api, served);
  addTokens(api, served);
  addSecrets(api, served);
  addHosts(api, served);
}

function addUsers(api: Hono, { tenon }: RouteContext): void {
  api.get("/users", async (c) => {
    const { limit, ...query } = readQuery(c, usersQuery);
    const found = await tenon.access.principals({ ...query, limit: limit + 1 });
    return c.json(pageOf(found, limit) satisfies Page<UserView>);
  });
  api.post("/users", async (c) => {
    const user = await readBody(c, userBody);
    return c.json((await requestActs(c, tenon).access.addPrincipal(user)) satisfies UserView);
  });
  api.put("/users/:name", async (c) => {
    const change = await readBody(c, changeBody);
    const user = readParam(c, "name");
    refuseSelf(c, user);
    return c.json((await requestActs(c, tenon).access.changePrincipal(user, change)) satisfies UserView);
  });
  api.delete("/users/:name", async (c) => {
    const user = readParam(c, "name");
    refuseSelf(c, user);
    await requestActs(c, tenon).access.removePrincipal(user);
    return c.json({ removed: user });
  });
}

function addTokens(api: Hono, { tenon, now }: RouteContext): void {
  api.get("/tokens", async (c) => {
    const { limit, user, all, ...query } = readQuery(c, tokensQuery);
    const found = await tenon.access.tokens({
      ...query,
      principal: ownOnly(c) ?? user,
      valid: all === undefined,
      limit: limit + 1,
    });
    return c.json(pageOf(found, limit) satisfies Page<TokenView>);
  });
  api.post("/tokens", async (c) => {
    const { user, role, expiresAt = now() + defaultLifetimeMs, ...token } = await readBody(c, tokenBody);
    const { access } = requestActs(c, tenon);
    const known = await access.principal(user ?? token.name);
    if (known === undefined && user !== undefined) throw notFound("User");
    const owner =
      known ?? (await access.addPrincipal({ name: token.name, kind: "program", role: role ?? "operator" }));
    const created = await access.createToken({
      ...token,
      principal: owner.name,
      role: role ?? owner.role,
      expiresAt: expiresAt ?? undefined,
    });
    return c.json(created satisfies CreatedToken);
  });
  api.delete("/tokens/:id", async (c) => {
    const id = readParam(c, "id");
    const own = ownOnly(c);
    const isOwn = async (): Promise<boolean> =>
      (await tenon.access.tokens({ principal: own })).some((token) => token.id === id);
    if (own !== undefined && !(await isOwn())) throw notFound("Token");
    return c.json((await requestActs(c, tenon).access.revokeToken(id)) satisfies TokenView);
  });
}

function addSecrets(api: Hono, { tenon }: RouteContext): void {
  api.get("/secrets", async (c) => {
    const own = ownOnly(c);
    const all = await tenon.secrets.list();
    const seen = own === undefined ? all : all.filter(({ user }) => user === own);
    return c.json(seen satisfies readonly SecretView[]);
  });
  api.put("/secrets/:name", async (c) => {
    const { value, ...given } = await readBody(c, secretBody);
    const secret = { ...ownSecret(c, given), value };
    return c.json((await requestActs(c, tenon).secrets.set(secret)) satisfies SecretView);
  });
  api.delete("/secrets/:name", async (c) => {
    const secret = ownSecret(c, readQuery(c, secretQuery));
    if (!(await requestActs(c, tenon).secrets.remove(secret))) throw notFound("Secret");
    return c.json({ removed: secret });
  });
}

function addHosts(api: Hono, { hosts }: RouteContext): void {
  const seen = (c: Context): readonly HostView[] => {
    const user = requestUser(c);
    const seesAll = user === undefined || includesRole(user.role, "approver");
    return seesAll ? hosts.list() : hosts.list().filter((host) => host.user === user.principal);
  };
  api.get("/hosts", (c) => c.json(seen(c) satisfies readonly HostView[]));
  api.delete("/hosts/:id", (c) => {
    const id = readParam(c, "id");
    const host = seen(c).find((one) => one.id === id);
    if (host === undefined || (ownOnly(c) ?? host.user) !== host.user || !hosts.end(id))
      throw notFound("Connection");
    return c.json({ ended: id });
  });
}

/** One row more than asked for says that there is more. */
function pageOf<Row>(rows: readonly Row[], limit: number): Page<Row> {
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** The only user whose tokens and secrets the one who asks may see and change; `undefined` for admins: all. */
function ownOnly(c: Context): string | undefined {
  const user = requestUser(c);
  return user === undefined || user.role === "admin" ? undefined : user.principal;
}

/** Others store and remove secrets for themselves only. */
function ownSecret(c: Context, { user, endpoint }: Omit<SecretRef, "name">): SecretRef {
  const own = ownOnly(c);
  if (own !== undefined && user !== undefined && user !== own)
    requireRole(requestUser(c)?.role ?? "admin", "admin");
  const asked = readParam(c, "name");
  if (!secretName.test(asked)) throw notFound("Secret");
  const whose = own ?? user;
  return {
    name: asked,
    ...(whose !== undefined && { user: whose }),
    ...(endpoint !== undefined && { endpoint }),
  };
}

/** An admin who shut themselves out could not undo it. */
function refuseSelf(c: Context, name: string): void {
  if (requestUser(c)?.principal !== name) return;
  throw new HttpError(403, {
    code: "OWN_REQUEST",
    message: "You cannot change or remove yourself.",
    hint: "Ask another admin, or use `tenon users` on the machine itself.",
  });
}
