import * as z from "zod";
import { roles } from "../contract/ports/access.js";
import { once } from "../contract/once.js";
import { section, setting, whole } from "./setting.js";
import { milliseconds, text } from "./shared-schemas.js";

/** Signatures that only the provider can make: no shared secrets, and never "none". */
const tokenAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

/** Keys and logins of a provider must not be read or changed on their way. */
const secureAddress = once(() =>
  z
    .string()
    .max(4096)
    .regex(
      /^(?:https:\/\/[^\s/?#]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:\/[^\s?#]*)?$/,
      "expected an https:// address without a query (http:// only for this machine itself)",
    ),
);

const secureOrigin = once(() =>
  secureAddress().regex(
    /^https?:\/\/[^/]+$/,
    "expected an address without a path, such as https://tenon.example.org",
  ),
);

const roleMap = once(() => z.record(text(), z.enum(roles)));

/** How somebody whom a provider vouches for becomes a user. */
const peopleSettings = once(() => ({
  groups: setting(roleMap(), "Roles by group; of several the highest counts.", { default: {} }),
  groupsClaim: setting(text(), "Claim with the groups: its name, or a path such as `realm_access.roles`.", {
    default: "groups",
  }),
  nameClaim: setting(text(), "Claim that users are named after.", { default: "preferred_username" }),
  defaultRole: setting(z.enum(roles), "Role of everyone who gets none otherwise.", {
    defaultText: "none: they are refused",
  }),
  addUsers: setting(z.boolean(), "Add a user for everybody who signs in for the first time.", {
    default: true,
  }),
  matchUsers: setting(
    z.boolean(),
    "Let a new person sign in as the existing user with exactly their name, if nobody signs in as that user yet. Use it only if people cannot choose their own names at the provider.",
    { default: false },
  ),
}));

const oauth = once(() =>
  z.strictObject({
    issuer: z
      .union([secureAddress(), z.array(secureAddress()).min(1).max(20)])
      .describe("Authorization servers whose access tokens open /mcp, as their tokens name them (`iss`)."),
    audience: setting(
      z.union([text(), z.array(text()).min(1).max(100)]),
      "Further audiences (`aud`) that a token may be for.",
      { defaultText: "only the address of the endpoint itself, such as https://tenon.example.org/mcp" },
    ),
    scopes: setting(
      roleMap(),
      "Roles by scope. A token with none of them is refused; with groups, the lower of both roles counts.",
      { default: {} },
    ),
    ...peopleSettings(),
    algorithms: setting(z.array(z.enum(tokenAlgorithms)).min(1), "Signatures that are accepted.", {
      default: ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"],
    }),
    clockSkewMs: setting(
      z.int().min(0).max(600_000),
      "How far the clocks of the provider and of this machine may differ.",
      { default: 30_000 },
    ),
    jwksUri: setting(secureAddress(), "Address of the keys, where the issuer publishes no metadata.", {
      defaultText: "what the issuer's metadata says",
    }),
  }),
);

const oidc = once(() =>
  z.strictObject({
    issuer: secureAddress().describe("The OpenID provider."),
    clientId: text().describe("Id of the client that Tenon is registered as."),
    clientSecret: setting(text(), "Its secret, best as ${NAME}.", { defaultText: "none: a public client" }),
    scope: setting(text(), "Scopes to ask for.", { default: "openid profile email" }),
    ...peopleSettings(),
    idleMs: setting(milliseconds(), "A browser that asks for nothing this long is signed out.", {
      default: 12 * 3_600_000,
      defaultText: "43200000 (12 hours)",
    }),
    lifetimeMs: setting(milliseconds(), "After this time people sign in again.", {
      default: 24 * 3_600_000,
      defaultText: "86400000 (24 hours)",
    }),
  }),
);

/** How people and programs prove who they are to `tenon serve`, besides one-time links and named tokens. */
export const authSection = once(() =>
  section("How people and programs sign in to `tenon serve`, besides one-time links and named tokens.", {
    publicUrl: setting(
      secureOrigin(),
      "Address that others know this server by, without a path, such as https://tenon.example.org.",
      { defaultText: "the address that a request was sent to" },
    ),
    oauth: setting(whole(oauth()), "OAuth 2.1 for MCP hosts: access tokens (JWT) that open /mcp.", {
      defaultText: "none",
      merge: "whole",
    }),
    oidc: setting(whole(oidc()), "Signing in to the console with an OpenID provider.", {
      defaultText: "none",
      merge: "whole",
    }),
  }),
);
