import { describe, expect, it } from "vitest";
import {
  claimedSubject,
  kindIn,
  nameIn,
  roleByGroups,
  roleOfToken,
  type Claims,
  type OAuthSettings,
} from "./claims.js";

const settings = {
  groups: { leads: "approver", engineers: "operator", readers: "viewer" },
  groupsClaim: "groups",
  nameClaim: "name",
  scopes: {},
} as unknown as OAuthSettings;
const withScopes = {
  ...settings,
  scopes: { read: "viewer", write: "operator", rule: "admin" },
} as OAuthSettings;

describe("the role that groups give", () => {
  it.each<[unknown, string | undefined]>([
    [["engineers"], "operator"],
    [["engineers", "leads", "readers"], "approver"],
    [["leads", "engineers"], "approver"],
    ["readers", "viewer"],
    [[7, null, "readers"], "viewer"],
    [["others", "toString", "constructor"], undefined],
    [[], undefined],
    [{ leads: true }, undefined],
    [undefined, undefined],
  ])("%j: %s", (groups, role) => {
    expect(roleByGroups({ groups }, settings)).toBe(role);
    expect(roleByGroups({ groups }, { ...settings, defaultRole: "viewer" })).toBe(role ?? "viewer");
  });

  it.each<[string, Claims]>([
    ["realm.roles", { "realm.roles": ["leads"], realm: { roles: ["readers"] } }],
    ["realm.roles", { realm: { roles: ["leads"] } }],
    ["a.b.c", { a: { b: { c: "leads" } } }],
  ])("is found by the claim's name or path: %s", (groupsClaim, claims) => {
    expect(roleByGroups(claims, { ...settings, groupsClaim })).toBe("approver");
  });

  it.each<[string, Claims]>([
    ["a.b", { a: "leads" }],
    ["a.b", { a: ["leads"] }],
    ["a.b", { b: "leads" }],
    ["a.toString", { a: {} }],
    ["a.b", {}],
  ])("is not found at other places: %s in %j", (groupsClaim, claims) => {
    expect(roleByGroups(claims, { ...settings, groupsClaim })).toBeUndefined();
  });
});

describe("the role of an access token", () => {
  it("is that of its groups where scopes give none", () => {
    expect(roleOfToken({ groups: ["leads"], scope: "rule" }, settings)).toEqual({
      role: "approver",
      isWhole: true,
    });
    expect(roleOfToken({ scope: "rule" }, settings)).toBeUndefined();
  });

  it.each<[Claims, string | undefined]>([
    [{ scope: "read write" }, "operator"],
    [{ scope: "write read" }, "operator"],
    [{ scp: ["read"] }, "viewer"],
    [{ scp: "rule", scope: "read" }, "admin"],
    [{ scope: "other" }, undefined],
    [{ scope: "" }, undefined],
    [{}, undefined],
  ])("is that of its scopes where groups give none: %j", (claims, role) => {
    const found = roleOfToken(claims, { ...withScopes, groups: {} });
    expect(found).toEqual(role && { role, isWhole: false });
  });

  it.each<[Claims, string | undefined]>([
    [{ scope: "rule", groups: ["readers"] }, "viewer"],
    [{ scope: "read", groups: ["leads"] }, "viewer"],
    [{ scope: "rule", groups: ["leads"] }, "approver"],
    [{ scope: "rule" }, undefined],
    [{ groups: ["leads"] }, undefined],
  ])("is the lower one of both: %j", (claims, role) => {
    expect(roleOfToken(claims, withScopes)).toEqual(role && { role, isWhole: false });
  });
});

it.each<[Claims, string]>([
  [{ name: "Ann", email: "a@b", sub: "1" }, "Ann"],
  [{ name: "", email: "a@b", sub: "1" }, "a@b"],
  [{ name: 5, email: "a@b", email_verified: true, sub: "1" }, "a@b"],
  [{ email: "a@b", email_verified: false, sub: "1" }, "1"],
  [{ sub: "1" }, "1"],
  [{ sub: 1 }, ""],
  [{}, ""],
])("names a person: %j", (claims, name) => {
  expect(nameIn(claims, settings)).toBe(name);
});

it.each<[Claims, string]>([
  [{ sub: "a", client_id: "a" }, "program"],
  [{ sub: "a", azp: "a" }, "program"],
  [{ sub: "a", client_id: "b", azp: "a" }, "person"],
  [{ sub: "a", client_id: "b" }, "person"],
  [{ sub: "a" }, "person"],
  [{}, "person"],
])("knows programs from people: %j", (claims, kind) => {
  expect(kindIn(claims)).toBe(kind);
});

it.each<[string, string | undefined]>([
  ['{"sub":"ann"}', "ann"],
  ['{"sub":7}', undefined],
  ["{}", undefined],
  ["[]", undefined],
  ["null", undefined],
  ["{", undefined],
])("reads whom a refused token claims to be: %s", (text, subject) => {
  expect(claimedSubject(`head.${Buffer.from(text).toString("base64url")}.signature`)).toBe(subject);
  expect(claimedSubject("head")).toBeUndefined();
  expect(claimedSubject("")).toBeUndefined();
});
