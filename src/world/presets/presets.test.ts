import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PresetHosts } from "../../contract/ports/processes.js";
import type { PresetName } from "../../contract/preset-names.js";
import { presets } from "./presets.js";
import { createPresetResolver } from "./resolve-presets.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-presets-"));
  for (const name of ["home", "work/sub"]) mkdirSync(join(root, name), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const asked: string[] = [];

function resolve(
  names: readonly PresetName[],
  { env = {}, answer }: { env?: Record<string, string>; answer?: string } = {},
): Promise<PresetHosts> {
  asked.length = 0;
  const find = createPresetResolver({ home: join(root, "home"), workspace: join(root, "work"), env });
  return find({
    names,
    cwd: join(root, "work/sub"),
    env: new Map(),
    ask: async (command) => (asked.push(command), answer),
  });
}

describe("the hosts of a tool", () => {
  it.each<[PresetName, string, string, string[]]>([
    ["npm", "work/.npmrc", "registry = https://npm.example.org/path/\n", ["npm.example.org"]],
    ["npm", "home/.npmrc", "@a:registry=http://localhost:4873\n//x/:_authToken=t\n", ["localhost:4873"]],
    ["npm", "work/.yarnrc.yml", 'npmRegistryServer: "https://yarn.example.org"\n', ["yarn.example.org"]],
    [
      "pip",
      "home/.config/pip/pip.conf",
      "[global]\nindex-url = https://u:p@pip.example.org/simple\n",
      ["pip.example.org"],
    ],
    [
      "pip",
      "home/.pip/pip.conf",
      "[install]\nextra_index_url =\n  https://a.example.org\n  https://b.example.org:8443\n",
      ["a.example.org", "b.example.org:8443"],
    ],
    [
      "pip",
      "work/pyproject.toml",
      '[project]\nurl = "https://site.example.org"\n[[tool.uv.index]]\nurl = "https://uv.example.org/simple"\n',
      ["uv.example.org"],
    ],
    ["pip", "work/sub/requirements.txt", "-i https://req.example.org/simple\nx==1\n", ["req.example.org"]],
    [
      "git",
      "work/.git/config",
      '[remote "origin"]\n\turl = git@git.example.org:a/b.git\n[remote "c"]\n\turl = ssh://git@ssh.example.org:2222/a\n',
      ["git.example.org", "ssh.example.org:2222"],
    ],
    [
      "git",
      "home/.gitconfig",
      '[url "https://mirror.example.org/"]\n\tinsteadOf = https://x/\n',
      ["mirror.example.org"],
    ],
    [
      "cargo",
      "home/.cargo/config.toml",
      '[source.crates]\nreplace-with = "m"\n[source.m]\nregistry = "sparse+https://crates.example.org/index/"\n[net]\nx = "https://no.example.org"\n',
      ["crates.example.org"],
    ],
    [
      "go",
      "home/.config/go/env",
      "GOPROXY=https://go.example.org|https://two.example.org,direct\nGOSUMDB=sum.example.org\n",
      ["go.example.org", "two.example.org", "sum.example.org"],
    ],
    [
      "maven",
      "home/.m2/settings.xml",
      "<settings><!-- <mirror><url>https://no.example.org</url></mirror> --><mirror><id>m</id><url>https://maven.example.org/m2</url></mirror></settings>",
      ["maven.example.org"],
    ],
    [
      "gradle",
      "work/gradle/wrapper/gradle-wrapper.properties",
      String.raw`distributionUrl=https\://gradle.example.org/d.zip`,
      ["gradle.example.org"],
    ],
    [
      "gem",
      "work/Gemfile",
      'source "https://gems.example.org"\ngem "x" # https://no.example.org\n',
      ["gems.example.org"],
    ],
    ["gem", "home/.gemrc", "---\n:sources:\n- https://rubies.example.org/\n", ["rubies.example.org"]],
    [
      "composer",
      "work/composer.json",
      String.raw`{"homepage":"https://no.example.org","repositories":[{"type":"composer","url":"https:\/\/php.example.org"}]}`,
      ["php.example.org"],
    ],
  ])("%s comes from %s", async (name, path, text, hosts) => {
    put(path, text);
    const found = await resolve([name]);
    expect(found.hosts).toEqual(hosts);
    expect(found.unknown).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("is asked of the tool if nothing is configured, and missing if it does not know", async () => {
    expect(await resolve(["npm"], { answer: "https://built-in.example.org/\n" })).toMatchObject({
      hosts: ["built-in.example.org"],
      unknown: [],
    });
    expect(asked).toEqual([presets.npm.ask]);
    expect(await resolve(["npm", "cargo"], {})).toEqual({
      hosts: [],
      variables: {},
      unknown: ["npm", "cargo"],
    });
  });

  it("comes from the environment, the project and the person, in this order", async () => {
    put("home/.npmrc", "registry=https://person.example.org/\n");
    expect((await resolve(["npm"])).hosts).toEqual(["person.example.org"]);
    put("work/.npmrc", "registry=https://project.example.org/\n");
    expect(await resolve(["npm"])).toEqual({ hosts: ["project.example.org"], variables: {}, unknown: [] });
    // Commands do not see the variables of the host, so these are passed on, without credentials.
    const env = {
      npm_config_registry: "https://name:secret@env.example.org/",
      PIP_INDEX_URL: "https://pip.example.org/simple",
    };
    expect(await resolve(["npm", "pip"], { env })).toEqual({
      hosts: ["env.example.org", "pip.example.org"],
      variables: { ...env, npm_config_registry: "https://env.example.org/" },
      unknown: [],
    });
  });

  it("does not come from links in the workspace, files that are too large, or addresses that are not on the network", async () => {
    put("secret", "registry=https://secret.example.org\n");
    symlinkSync(join(root, "secret"), join(root, "work/.npmrc"));
    put("work/Gemfile", `source "https://large.example.org"\n${"#".repeat(1_100_000)}`);
    put("work/.git/config", '[remote "a"]\n\turl = /srv/a.git\n[remote "b"]\n\turl = file:///srv/b\n');
    expect((await resolve(["npm", "gem", "git"])).hosts).toEqual([]);
  });
});
