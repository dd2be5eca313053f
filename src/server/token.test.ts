import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkToken, readToken, refuseSecretFileIn, rememberHolders, secretHolders } from "./token.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-token-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("a token", () => {
  it("is taken from the environment, from a file, or made", async () => {
    const fixed = "0123456789abcdef";
    expect(await readToken({ env: { TENON_TOKEN: fixed } })).toBe(fixed);
    for (const env of [{}, { TENON_TOKEN: "" }]) expect(await readToken({ env })).toBeUndefined();
    writeFileSync(join(root, "token"), `${fixed}-file\n`);
    expect(await readToken({ env: { TENON_TOKEN: fixed }, file: join(root, "token") })).toBe(`${fixed}-file`);
    await expect(readToken({ env: { TENON_TOKEN: "short" } })).rejects.toThrow(/at least 16/);
  });

  it("has sixteen characters that can be sent, or more", () => {
    expect(checkToken("a".repeat(16))).toBe("a".repeat(16));
    for (const token of ["a".repeat(15), `${"a".repeat(16)} `, `${"a".repeat(16)}ä`])
      expect(() => checkToken(token)).toThrow(/at least 16/);
  });
});

describe("a secret that a connection has proved", () => {
  const secrets = { token: "0123456789abcdef", host: "0123456789abcdeF" };

  it("is not hashed again, and no other one passes for it", () => {
    const hashed: string[] = [];
    const holderOf = secretHolders(secrets);
    const holderAt = rememberHolders((given) => (hashed.push(given), holderOf(given)));
    const connection = {};
    expect(holderAt(secrets.token, connection)).toBe("token");
    expect(holderAt(secrets.token, connection)).toBe("token");
    expect(hashed).toEqual([secrets.token]);
    const others = ["0123456789abcdeg", "0123456789abcde", `${secrets.token}0`, "0123456789abcdeé", ""];
    for (const other of others) expect(holderAt(other, connection)).toBeUndefined();
    expect(holderAt(secrets.host, connection)).toBe("host");
    expect(holderAt(secrets.token, connection)).toBe("token");
  });

  it("proves nothing for another connection", () => {
    const hashed: string[] = [];
    const holderAt = rememberHolders((given) => (hashed.push(given), "token"));
    for (const connection of [{}, {}]) holderAt("secret", connection);
    expect(hashed).toEqual(["secret", "secret"]);
  });
});

describe("a secret file", () => {
  const inside = join(root, "ws");
  mkdirSync(join(inside, "deep"), { recursive: true });
  mkdirSync(join(root, "..ws"));
  symlinkSync(inside, join(root, "link"));

  it.each(["ws", "ws/token", "ws/deep/token", "link/token"])(
    "is refused in a workspace: %s",
    async (path) => {
      await expect(refuseSecretFileIn([inside], join(root, path))).rejects.toThrow(/is inside/);
    },
  );

  it.each(["token", "", "..ws/token", "other/ws/token"])("may be elsewhere: %s", async (path) => {
    await expect(refuseSecretFileIn([inside], join(root, path))).resolves.toBeUndefined();
  });
});
