import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { copyToolSettings } from "./tool-settings.js";

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "tenon-settings-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const settings: Record<string, string> = {
  ".npmrc":
    "registry=https://u:hidden@npm.example.org/\n@a:registry = https://a.example.org\n//npm.example.org/:_authToken=hidden\n_password=hidden\nemail=hidden\n",
  ".config/pip/pip.conf":
    "[global]\nindex-url = https://hidden@pip.example.org/simple\nextra-index-url =\n  https://u:hidden@b.example.org\nproxy = http://hidden@proxy\n",
  ".config/go/env": "GOPROXY=https://u:hidden@go.example.org,direct\nGOAUTH=hidden\n",
  ".cargo/config.toml":
    '[registries.own]\nindex = "sparse+https://cargo.example.org/"\ntoken = "hidden"\n[env]\nA = "hidden"\n',
  ".gemrc": "---\n:sources:\n- https://u:hidden@gems.example.org/\n:rubygems_api_key: hidden\n",
  ".m2/settings.xml":
    "<settings><servers><server><password>hidden</password></server></servers><mirrors><mirror><url>https://maven.example.org</url></mirror></mirrors></settings>",
};

it("lets commands see registries, and nothing else that a settings file holds", async () => {
  for (const [path, text] of Object.entries(settings)) {
    mkdirSync(dirname(join(root, "home", path)), { recursive: true });
    writeFileSync(join(root, "home", path), text.replaceAll("\n", path === ".npmrc" ? "\r\n" : "\n"));
  }
  mkdirSync(join(root, "scratch"));
  const copied = await copyToolSettings(join(root, "home"), join(root, "scratch/settings"));
  expect(copied.map(({ at }) => at)).toEqual(Object.keys(settings).map((path) => join(root, "home", path)));
  const texts = copied.map(({ from }) => readFileSync(from, "utf8"));
  expect(texts.join("\n")).not.toContain("hidden");
  for (const name of ["npm", "a", "pip", "b", "go", "cargo", "gems", "maven"])
    expect(texts.join("\n")).toContain(`https://${name}.example.org`);
});

it("creates nothing for settings that do not exist or name no registry", async () => {
  mkdirSync(join(root, "home"));
  writeFileSync(join(root, "home/.npmrc"), "fund=false\n//x/:_authToken=hidden\n");
  expect(await copyToolSettings(join(root, "home"), root)).toEqual([]);
});

it("shows the credentials of named hosts, and no others", async () => {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, "home", path)), { recursive: true });
    writeFileSync(join(root, "home", path), text);
  };
  put(
    ".npmrc",
    "registry=https://npm.example.org/\n//npm.example.org/:_authToken=shown-1\n//npm.example.org.evil.example/:_authToken=hidden\n//other.example.org/:_authToken=hidden\n_auth=hidden\n//npm.example.org/:keyfile=hidden\n",
  );
  put(
    ".config/pip/pip.conf",
    "[global]\nindex-url = https://u:shown-2@npm.example.org/simple\nextra-index-url = https://u:hidden@b.example.org\n",
  );
  put(
    ".netrc",
    "machine other.example.org login u password hidden\nmachine NPM.example.org\n  login shown-3\n  password shown-4\nmacdef init\nmachine npm.example.org login hidden\n\ndefault login hidden password hidden\n",
  );
  put(".git-credentials", "https://u:shown-5@npm.example.org\nhttps://u:hidden@other.example.org\nhidden\n");
  const copied = await copyToolSettings(
    join(root, "home"),
    join(root, "settings"),
    new Set(["npm.example.org"]),
  );
  const text = copied.map(({ from }) => readFileSync(from, "utf8")).join("\n");
  expect(text).not.toContain("hidden");
  for (const number of [1, 2, 3, 4, 5]) expect(text).toContain(`shown-${number}`);
});

it.each([
  [".npmrc", "@a:registry = https://a/", "@a:registry = https://a/"],
  [".config/pip/pip.conf", "[global]\nindex-url = https://a/\nproxy = b", "[global]\nindex-url = https://a/"],
  [
    ".pip/pip.conf",
    "[install]\ntrusted_host = a\nfind-links =\n  https://b/\ntimeout = 5",
    "[install]\ntrusted_host = a\nfind-links =\n  https://b/",
  ],
  [
    ".config/uv/uv.toml",
    '[[index]]\nname = "a"\nurl = "https://a/"\ncache = "b"',
    '[[index]]\nname = "a"\nurl = "https://a/"',
  ],
  [".config/go/env", "GOPROXY=https://a/\nGOPRIVATE=b\nGOFLAGS=c", "GOPROXY=https://a/\nGOPRIVATE=b"],
  [
    ".cargo/config.toml",
    '[source.a]\nregistry = "https://a/"\n[build]\njobs = 1',
    '[source.a]\nregistry = "https://a/"',
  ],
  [".cargo/config", '[net]\noffline = true\nmy-token = "x"\n[alias]\nb = "c"', "[net]\noffline = true"],
  [".gemrc", ":sources:\n  - https://a/\n:verbose: true", ":sources:\n  - https://a/"],
  [
    ".m2/settings.xml",
    "<settings><mirrors><mirror/></mirrors><servers/></settings>",
    "<settings><mirrors><mirror/></mirrors></settings>",
  ],
])("copies of %s only what says where packages come from, for reading", async (path, text, expected) => {
  mkdirSync(dirname(join(root, "home", path)), { recursive: true });
  writeFileSync(join(root, "home", path), text);
  const [copy, ...others] = await copyToolSettings(join(root, "home"), join(root, "new/settings"));
  expect(others).toEqual([]);
  expect(copy).toEqual({
    from: join(root, "new/settings", path.replaceAll("/", "-")),
    at: join(root, "home", path),
  });
  expect(readFileSync(copy?.from ?? "", "utf8").trim()).toBe(expected);
  expect(statSync(copy?.from ?? "").mode & 0o777).toBe(0o444);
});
