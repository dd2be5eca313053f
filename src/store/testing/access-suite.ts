import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { includesRole, roles } from "../../contract/ports/access.js";
import type { State } from "../open-state.js";
import type { Fixture, NewFixture } from "./drivers.js";
import { randomCases } from "../../../test/setup/random-cases.js";

/** What principals and tokens promise, in whatever database. */
export function accessSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let state: State;
  let time = 1_800_000_000_000;
  const clock = { now: () => time, monotonic: () => performance.now(), sleep: () => Promise.resolve() };

  beforeEach(async () => {
    fixture = await newFixture();
    state = await fixture.open({ clock });
  });

  afterEach(() => fixture.close());

  const addToken = async (name: string, more: { role?: "viewer" | "operator"; expiresAt?: number } = {}) => {
    await state.access.addPrincipal({ name, kind: "program", role: "operator" });
    return state.access.createToken({ name, principal: name, role: more.role ?? "operator", ...more });
  };

  describe("access", () => {
    it("knows whose a token is, and keeps no secret", async () => {
      const { token, secret } = await addToken("ci");
      expect(secret).toMatch(/^tnn_[\w-]{43}$/);
      expect(await state.access.authenticate(secret)).toEqual({
        principal: "ci",
        kind: "program",
        role: "operator",
        tokenId: token.id,
      });
      const rows = await fixture.exec("SELECT * FROM tokens");
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain(secret.slice(4));
      expect(JSON.stringify(await state.access.tokens())).not.toMatch(/hash|tnn_/);
    });

    it("opens nothing to a secret that is not exactly one that was given out", async () => {
      const { secret } = await addToken("ci");
      const wrong = fc.oneof(
        fc.string(),
        fc.string().map((text) => `tnn_${text}`),
        fc.nat(secret.length - 1).map((at) => secret.slice(0, at)),
        fc.string({ minLength: 1 }).map((text) => secret + text),
        fc.nat(secret.length - 1).map((at) => {
          const other = secret[at] === "A" ? "B" : "A";
          return secret.slice(0, at) + other + secret.slice(at + 1);
        }),
        fc.constant(`tnn_${"x".repeat(1_000_000)}`),
      );
      await fc.assert(
        fc.asyncProperty(wrong, async (given) => {
          expect(await state.access.authenticate(given)).toBeUndefined();
        }),
        { numRuns: randomCases(100) },
      );
      expect(await state.access.authenticate(secret)).toBeDefined();
    });

    it("ends with its time, not before", async () => {
      const { secret } = await addToken("ci", { expiresAt: time + 1000 });
      time += 999;
      expect(await state.access.authenticate(secret)).toBeDefined();
      time += 1;
      expect(await state.access.authenticate(secret)).toBeUndefined();
      await expect(
        state.access.createToken({ name: "late", principal: "ci", role: "viewer", expiresAt: time }),
      ).rejects.toMatchObject({ code: "VALUE_INVALID" });
    });

    it("is revoked at once, for other processes too, by name or id", async () => {
      const { secret, token } = await addToken("ci");
      const other = await fixture.open({ clock });
      expect(await other.access.authenticate(secret)).toBeDefined();
      expect(await state.access.revokeToken("ci")).toMatchObject({ id: token.id, revokedAt: time });
      expect(await other.access.authenticate(secret)).toBeUndefined();
      const second = await state.access.createToken({ name: "ci", principal: "ci", role: "viewer" });
      expect(await other.access.authenticate(second.secret)).toMatchObject({ role: "viewer" });
      await other.access.revokeToken(second.token.id);
      expect(await state.access.authenticate(second.secret)).toBeUndefined();
      await expect(state.access.revokeToken("ci")).rejects.toMatchObject({
        message: 'Token "ci" not found.',
      });
      time += 5;
      // Revoking again changes nothing of when it was.
      expect(await state.access.revokeToken(token.id)).toMatchObject({ revokedAt: time - 5 });
    });

    it("gives a token no more than its owner may do now", async () => {
      for (const owner of roles) {
        for (const wanted of roles) {
          const name = `${owner}-${wanted}`;
          await state.access.addPrincipal({ name, kind: "person", role: owner });
          const creating = state.access.createToken({ name, principal: name, role: wanted });
          if (!includesRole(owner, wanted)) {
            await expect(creating).rejects.toMatchObject({ code: "VALUE_INVALID" });
            continue;
          }
          const { secret } = await creating;
          expect(await state.access.authenticate(secret)).toMatchObject({ role: wanted });
          await state.access.changePrincipal(name, { role: "viewer" });
          expect(await state.access.authenticate(secret)).toMatchObject({ role: "viewer" });
          await state.access.changePrincipal(name, { role: "admin" });
          expect(await state.access.authenticate(secret)).toMatchObject({ role: wanted });
        }
      }
    });

    it("closes every token of a principal that is disabled, for good", async () => {
      const { secret } = await addToken("ci");
      expect(await state.access.changePrincipal("ci", { disabled: true })).toMatchObject({
        disabledAt: time,
      });
      expect(await state.access.authenticate(secret)).toBeUndefined();
      await expect(
        state.access.createToken({ name: "more", principal: "ci", role: "viewer" }),
      ).rejects.toMatchObject({ code: "VALUE_INVALID" });
      const enabled = await state.access.changePrincipal("ci", { disabled: false });
      expect(enabled).not.toHaveProperty("disabledAt");
      expect(await state.access.authenticate(secret)).toBeUndefined();
      const next = await state.access.createToken({ name: "ci", principal: "ci", role: "viewer" });
      expect(await state.access.authenticate(next.secret)).toBeDefined();
    });

    it("never gives a name to somebody else", async () => {
      await addToken("ci");
      await state.access.changePrincipal("ci", { disabled: true });
      await expect(
        state.access.addPrincipal({ name: "ci", kind: "person", role: "admin" }),
      ).rejects.toMatchObject({ code: "VALUE_INVALID", message: 'The name "ci" is already taken.' });
      expect(await state.access.principals()).toMatchObject([{ name: "ci", kind: "program" }]);
    });

    it("refuses names that could be mistaken in logs, commands and addresses", async () => {
      await state.access.addPrincipal({ name: "ci", kind: "person", role: "viewer" });
      const texts = ["", "..", "a/b", "A", "a b", "a\nb", "local", "x".repeat(65), "é", "-a", "http:token"];
      for (const name of [...texts, "a\u202eb"]) {
        const invalid = { code: "VALUE_INVALID" };
        await expect(
          state.access.addPrincipal({ name, kind: "person", role: "viewer" }),
        ).rejects.toMatchObject(invalid);
        for (const more of [{ name }, { name: "x", endpoint: name }]) {
          await expect(
            state.access.createToken({ principal: "ci", role: "viewer", ...more }),
          ).rejects.toMatchObject(invalid);
        }
      }
      expect(await state.access.principals()).toHaveLength(1);
      expect(await state.access.tokens()).toEqual([]);
    });

    it("names the nearest where a name is unknown", async () => {
      await addToken("deploy-bot");
      await expect(state.access.changePrincipal("deploybot", { role: "viewer" })).rejects.toMatchObject({
        hint: 'Did you mean "deploy-bot"?',
      });
      await expect(state.access.revokeToken("deploy-bo")).rejects.toMatchObject({
        hint: 'Did you mean "deploy-bot"?',
      });
      await expect(
        state.access.createToken({ name: "x", principal: "nobody", role: "viewer" }),
      ).rejects.toMatchObject({ message: 'User "nobody" not found.' });
    });

    it("writes down when a token was last used, at most once a minute", async () => {
      const { secret } = await addToken("ci");
      expect((await state.access.tokens())[0]).not.toHaveProperty("lastUsedAt");
      const first = time;
      await state.access.authenticate(secret);
      time += 59_999;
      await state.access.authenticate(secret);
      expect((await state.access.tokens())[0]).toMatchObject({ lastUsedAt: first });
      time += 1;
      await state.access.authenticate(secret);
      expect((await state.access.tokens())[0]).toMatchObject({ lastUsedAt: time });
    });

    it("lets one of two creations of the same name win", async () => {
      await state.access.addPrincipal({ name: "ci", kind: "program", role: "admin" });
      const other = await fixture.open({ clock });
      const tries = [state, other, state, other].map((each) =>
        each.access.createToken({ name: "same", principal: "ci", role: "viewer" }),
      );
      const ended = await Promise.allSettled(tries);
      expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    describe("of somebody whom a provider vouches for", () => {
      const login = {
        issuer: "https://id.example.org",
        subject: "u-1",
        name: "alice",
        kind: "person",
        role: "approver",
        at: 1000,
        isWhole: true,
      } as const;
      const roleOf = async (name: string) =>
        (await state.access.principals()).find((each) => each.name === name)?.role;

      it("adds one principal, however many sign in at once", async () => {
        const all = await Promise.all(Array.from({ length: 5 }, () => state.access.signIn(login)));
        expect(new Set(all.map((each) => each?.principal))).toEqual(new Set(["alice"]));
        expect(await state.access.principals()).toMatchObject([{ name: "alice", roleFromLogin: true }]);
      });

      it("follows the role that the provider gives, but not an older statement or a narrower token", async () => {
        await state.access.signIn(login);
        await state.access.signIn({ ...login, role: "viewer", at: 2000, isWhole: false });
        expect(await roleOf("alice")).toBe("approver");
        await state.access.signIn({ ...login, role: "viewer", at: 3000 });
        expect(await roleOf("alice")).toBe("viewer");
        expect(await state.access.signIn({ ...login, role: "admin", at: 2500 })).toMatchObject({
          role: "viewer",
        });
        // A session of before the demotion has lost what was taken.
        expect(await state.access.identify(login)).toMatchObject({ role: "viewer" });
        await state.access.changePrincipal("alice", { role: "operator" });
        expect(await state.access.signIn({ ...login, role: "admin", at: 9000 })).toMatchObject({
          role: "operator",
        });
      });

      it("never hands over a principal of the same name, unless that is wanted and nobody signs in as it", async () => {
        await state.access.addPrincipal({ name: "alice", kind: "person", role: "admin" });
        const other = await state.access.signIn(login);
        expect(other?.principal).toMatch(/^alice-[0-9a-f]{12}$/);
        expect(other?.role).toBe("approver");
        const shouted = { ...login, subject: "u-2", name: "ALICE" };
        expect((await state.access.signIn(shouted, { matchUsers: true }))?.principal).not.toBe("alice");
        const matched = { ...login, subject: "u-3" };
        expect(await state.access.signIn(matched, { matchUsers: true, addUsers: false })).toMatchObject({
          principal: "alice",
          role: "approver",
        });
        const late = { ...login, subject: "u-4" };
        expect(await state.access.signIn(late, { matchUsers: true, addUsers: false })).toBeUndefined();
      });

      it("keeps a disabled one out and makes harmless names of any text", async () => {
        await state.access.signIn(login);
        await state.access.changePrincipal("alice", { disabled: true });
        expect(await state.access.signIn(login)).toBeUndefined();
        expect(await state.access.identify(login)).toBeUndefined();
        const names = [
          "Eve\r\nGET /x\u001b[2J",
          "local",
          "\u202egnp",
          "",
          "../..",
          "x".repeat(999),
          "İ@Ex.org",
        ];
        for (const [at, name] of names.entries()) {
          const made = await state.access.signIn({ ...login, subject: `s-${at}`, name });
          expect(made?.principal).toMatch(/^[a-z0-9][a-z0-9._@+-]{0,63}$/);
          expect(made?.principal).not.toBe("local");
        }
      });

      it("signs in as a principal that it was linked to, and as no other", async () => {
        for (const name of ["bob", "carol"])
          await state.access.addPrincipal({ name, kind: "person", role: "viewer" });
        await state.access.linkLogin("bob", login);
        expect(await state.access.signIn(login)).toMatchObject({ principal: "bob", role: "viewer" });
        await expect(state.access.linkLogin("carol", login)).rejects.toThrow('signs in as "bob"');
        await expect(state.access.linkLogin("bobb", login)).rejects.toMatchObject({
          hint: expect.stringContaining("bob"),
        });
      });
    });
  });
}
