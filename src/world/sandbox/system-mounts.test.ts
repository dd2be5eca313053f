import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asOrdinaryUser } from "../testing/as-ordinary-user.js";
import { hidePath, secretsOf, viewSystem } from "./system-mounts.js";

let etc: string;
beforeEach(() => {
  etc = mkdtempSync(join(tmpdir(), "tenon-etc-"));
  chmodSync(etc, 0o755);
});
afterEach(() => rmSync(etc, { recursive: true, force: true }));

function put(path: string, mode: number, text = "x"): void {
  mkdirSync(dirname(join(etc, path)), { recursive: true });
  writeFileSync(join(etc, path), text);
  chmodSync(join(etc, path), mode);
}
function putFolder(path: string, mode: number): void {
  mkdirSync(join(etc, path), { recursive: true });
  chmodSync(join(etc, path), mode);
}
const hidden = async (): Promise<string[]> =>
  (await secretsOf(etc))
    .map(({ path, isDirectory }) => path.slice(etc.length + 1) + (isDirectory ? "/" : ""))
    .toSorted();

describe("what commands do not see of the system's settings", () => {
  it("is what not everybody may read, and no more", async () => {
    put("open", 0o644);
    put("closed", 0o640);
    put("owner-only", 0o600);
    put("a/open", 0o604);
    put("a/closed", 0o600);
    putFolder("no-list", 0o751);
    putFolder("no-enter", 0o754);
    put("no-list/inner", 0o600);
    putFolder("both", 0o705);
    put("empty", 0o600, "");
    symlinkSync("closed", join(etc, "link"));
    expect(await hidden()).toEqual(["a/closed", "closed", "no-enter/", "no-list/", "owner-only"]);
  });

  it("is looked for four folders deep", async () => {
    put("1/2/3/closed", 0o600);
    put("1/2/3/4/closed", 0o600);
    expect(await hidden()).toEqual(["1/2/3/closed"]);
  });

  it.each([
    "shadow",
    "shadow-",
    "gshadow",
    "gshadow-",
    "sudoers",
    "krb5.keytab",
    "sudoers.d/",
    "ssh/",
    "ssl/private/",
    "pki/tls/private/",
    "letsencrypt/",
    "wireguard/",
    "openvpn/",
    "ppp/",
    "NetworkManager/system-connections/",
    "kubernetes/",
    "docker/",
  ])("is %s, though everybody may read it", async (path) => {
    if (path.endsWith("/")) put(`${path}inner`, 0o644);
    else put(path, 0o644);
    put("other", 0o644);
    expect(await hidden()).toEqual([path]);
  });

  it("is not what this process cannot read itself", async () => {
    put("closed", 0o600);
    expect(await asOrdinaryUser(hidden)).toEqual(process.getuid?.() === 0 ? expect.any(Array) : ["closed"]);
    expect(await secretsOf(join(etc, "none"))).toEqual([]);
  });
});

it("a file is hidden by nothing in its place, and a folder by an empty one that nobody may enter", () => {
  expect(hidePath("/etc/shadow", false)).toEqual(["--ro-bind", "/dev/null", "/etc/shadow"]);
  expect(hidePath("/etc/ssh", true)).toEqual([
    "--perms",
    "0000",
    "--tmpfs",
    "/etc/ssh",
    "--remount-ro",
    "/etc/ssh",
  ]);
});

it("programs and libraries of the system are seen, and nothing of it can be written", async () => {
  const { mounts, roots } = await viewSystem();
  expect(roots.slice(0, 2)).toEqual(["/usr", "/etc"]);
  for (const root of roots) {
    const at = mounts.indexOf(root);
    expect(mounts.slice(at - 1, at + 2)).toEqual(["--ro-bind", root, root]);
  }
  expect(new Set(mounts.filter((each) => each.startsWith("--")))).not.toContain("--bind");
  for (const name of ["/bin", "/lib"]) expect(mounts).toContain(name);
});
