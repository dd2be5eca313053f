import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SecretKey, SecretKeys, SecretScope } from "../../contract/ports/secrets.js";
import type { State } from "../open-state.js";
import type { Fixture, NewFixture } from "./drivers.js";

/** What secrets promise, in whatever database. */
export function secretsSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let state: State;
  const newKey = (id: string): SecretKey => ({ id, bytes: randomBytes(32) });
  const [one, other] = [newKey("one"), newKey("other")];
  const keys =
    (...all: [SecretKey, ...SecretKey[]]) =>
    (): SecretKeys =>
      all;
  const valueFor = async (caller: SecretScope, name = "A"): Promise<string | undefined> =>
    (await state.secrets.findFor([name], caller))[0]?.open([one, other]);

  beforeEach(async () => {
    fixture = await newFixture();
    state = await fixture.open();
    for (const name of ["alice", "bob"])
      await state.access.addPrincipal({ name, kind: "person", role: "operator" });
  });
  afterEach(() => fixture.close());

  describe("secrets", () => {
    it("go to the caller that they fit best, and to nobody else", async () => {
      const scopes = [{ user: "alice", endpoint: "e" }, { user: "alice" }, { endpoint: "e" }, {}];
      for (const scope of scopes)
        await state.secrets.set({ name: "A", value: JSON.stringify(scope), ...scope }, keys(one));
      expect(await valueFor({ user: "alice", endpoint: "e" })).toBe('{"user":"alice","endpoint":"e"}');
      expect(await valueFor({ user: "alice", endpoint: "f" })).toBe('{"user":"alice"}');
      expect(await valueFor({ user: "bob", endpoint: "e" })).toBe('{"endpoint":"e"}');
      expect(await valueFor({ user: "bob" })).toBe("{}");
      expect(await valueFor({})).toBe("{}");
      await state.access.removePrincipal("alice");
      expect(await state.secrets.list()).toHaveLength(2);
      expect(await valueFor({ user: "alice" })).toBe("{}");
      await expect(state.secrets.set({ name: "A", value: "x", user: "nobody" }, keys(one))).rejects.toThrow(
        "not found",
      );
    });

    it("are listed with whom and what they are for, and when and with which key they were stored", async () => {
      const before = Date.now();
      await state.secrets.set({ name: "A", value: "1", user: "alice", endpoint: "e" }, keys(one));
      await state.secrets.set({ name: "B", value: "2", endpoint: "f" }, keys(other));
      await state.secrets.set({ name: "C", value: "3" }, keys(one));
      await state.secrets.set({ name: "C", value: "4" }, keys(other));
      const listed = await state.secrets.list();
      const times = { createdAt: expect.any(Number) as number, changedAt: expect.any(Number) as number };
      expect(listed).toEqual([
        { name: "A", user: "alice", endpoint: "e", keyId: "one", ...times },
        { name: "B", endpoint: "f", keyId: "other", ...times },
        { name: "C", keyId: "other", ...times },
      ]);
      for (const { createdAt, changedAt } of listed) {
        expect(createdAt).toBeGreaterThanOrEqual(before);
        expect(changedAt).toBeGreaterThanOrEqual(createdAt);
      }
      expect(JSON.stringify(listed)).not.toContain("sealed");
    });

    it("are stored encrypted, and open in their own place only", async () => {
      await state.secrets.set({ name: "A", value: "value of alice", user: "alice" }, keys(one));
      await state.secrets.set({ name: "A", value: "value of bob", user: "bob" }, keys(one));
      const rows = await fixture.exec("SELECT * FROM secrets");
      expect(JSON.stringify(rows)).not.toContain("value of");
      await fixture.exec(
        `UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE principal = 'alice') WHERE principal = 'bob'`,
      );
      await expect(valueFor({ user: "bob" })).rejects.toMatchObject({ code: "SECRETS_KEY_WRONG" });
      expect(await valueFor({ user: "alice" })).toBe("value of alice");
    });

    it("are all encrypted again, or none", async () => {
      await state.secrets.set({ name: "A", value: "first" }, keys(one));
      await state.secrets.set({ name: "B", value: "second" }, keys(newKey("lost")));
      await expect(state.secrets.reseal(keys(other, one))).rejects.toMatchObject({
        code: "SECRETS_KEY_WRONG",
      });
      expect((await state.secrets.list()).map(({ keyId }) => keyId)).toEqual(["one", "lost"]);
      await state.secrets.remove({ name: "B" });
      expect(await state.secrets.reseal(keys(other, one))).toBe(1);
      expect((await state.secrets.findFor(["A"], {}))[0]?.open([other])).toBe("first");
      expect(await state.secrets.remove({ name: "B" })).toBe(false);
    });

    it("stored while all are encrypted again are not left with the old key", async () => {
      let current: SecretKeys = [one];
      const read = () => current;
      const stored = Array.from({ length: 20 }, (_, at) => `S${at}`);
      const setting = stored.map((name) => state.secrets.set({ name, value: name }, read));
      current = [other, one];
      const again = await fixture.open();
      await Promise.all([...setting, again.secrets.reseal(read)]);
      await state.secrets.reseal(read);
      expect(new Set((await state.secrets.list()).map(({ keyId }) => keyId))).toEqual(new Set(["other"]));
    });
  });
}
