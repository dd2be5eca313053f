import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { outermost, viewHome, type HomeOptions } from "./home-mounts.js";
import { homeSecrets, looseCaches, profileNames, profiles, type ProfileName } from "./profiles.js";

let base: string;
let home: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-home-")));
  home = join(base, "home");
  mkdirSync(home);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const folder = (path: string): void => void mkdirSync(join(base, path), { recursive: true });
const seen = async (options: Partial<HomeOptions> = {}): Promise<string[]> => {
  const { programs } = await viewHome({ home, path: undefined, profiles: [], known: [], ...options });
  return programs.map((path) => path.slice(base.length + 1)).toSorted();
};

/** Where tool chains are, as their own documentation says. */
const programs: Record<ProfileName, string> = {
  node: ".nvm/versions .nvm/nvm.sh .nvm/alias .volta .fnm .local/share/fnm .n .bun/bin .deno/bin .local/share/pnpm .yarn/bin",
  python: ".pyenv .local/share/uv .local/share/pipx .local/pipx .local/lib miniconda3 anaconda3 miniforge3",
  rust: ".cargo/bin .cargo/env .rustup",
  go: "go/bin sdk .goenv",
  java: ".sdkman/candidates .jenv .jdks",
  ruby: ".rbenv .rvm .gem",
  php: ".config/composer/vendor .composer/vendor .phpenv",
  versions: ".asdf .local/share/mise .proto",
};
const caches: Record<ProfileName, string> = {
  node: ".npm/_cacache=npm .npm/_npx=npm .local/share/pnpm/store=pnpm .yarn/berry=yarn .bun/install/cache=bun .cache/yarn=yarn .cache/pnpm=pnpm .cache/node=corepack .cache/node-gyp=npm .cache/deno=deno",
  python: ".cache/pip=python3 .cache/uv=uv .cache/pypoetry=poetry .cache/pipenv=pipenv .cache/pdm=pdm",
  rust: ".cargo/registry=cargo .cargo/git=cargo",
  go: "go/pkg/mod=go .cache/go-build=go",
  java: ".m2/repository=java .gradle/caches=java .gradle/wrapper=java",
  ruby: ".bundle/cache=ruby .local/share/gem=ruby .cache/gem=ruby",
  php: ".cache/composer=php .composer/cache=php",
  versions: "",
};

describe("the tool chains of the user", () => {
  it.each(Object.entries(programs))(
    "of %s are seen where they are, and nothing beside them",
    async (name, list) => {
      const names = list.split(" ");
      for (const each of names) {
        folder(dirname(`home/${each}`));
        if (
          /\.sh$|env$/u.test(each) &&
          name !== "go" &&
          name !== "java" &&
          name !== "ruby" &&
          name !== "php"
        ) {
          if (each.includes("/")) writeFileSync(join(home, each), "");
          else folder(`home/${each}`);
        } else folder(`home/${each}`);
      }
      folder("home/.ssh");
      folder("home/project");
      expect(await seen({ profiles: [name as ProfileName] })).toEqual(
        names.map((each) => `home/${each}`).toSorted(),
      );
      expect(await seen()).toEqual([]);
    },
  );

  it.each(Object.entries(caches))("of %s keep what they download in their own places", (name, list) => {
    const expected = list === "" ? [] : list.split(" ").map((each) => each.split("="));
    expect(Object.entries(profiles[name as ProfileName].caches)).toEqual(expected);
  });

  it("are all of those that there are", () => {
    expect(profileNames).toEqual(Object.keys(programs));
    const all = Object.values(caches).join(" ");
    for (const name of looseCaches) expect(all).toContain(`${name}=`);
    expect(looseCaches.size).toBe(9);
    // No profile opens a place of credentials.
    for (const { programs: opened } of Object.values(profiles))
      for (const each of opened) expect(homeSecrets).not.toContain(each);
  });

  it("are not seen through a link, which may lead anywhere", async () => {
    folder("elsewhere");
    symlinkSync(join(base, "elsewhere"), join(home, ".volta"));
    expect(await seen({ profiles: ["node"] })).toEqual([]);
  });
});

describe("the folders of programs on the PATH", () => {
  it("are seen, with the libraries beside them", async () => {
    for (const each of [
      "plain/bin",
      "with/bin",
      "with/lib",
      "exec/sbin",
      "exec/libexec",
      "odd/tools",
      "odd/lib",
    ])
      folder(each);
    const path = ["plain/bin", "with/bin", "exec/sbin", "odd/tools", "none/bin"].map((each) =>
      join(base, each),
    );
    expect(await seen({ path: [...path, path[0], "relative", "", "/"].join(":") })).toEqual([
      "exec",
      "odd/tools",
      "plain/bin",
      "with",
    ]);
  });

  it("are not seen again where they are known, nor where that would open the home folder", async () => {
    for (const each of [
      "known/bin",
      "known/lib",
      "home/bin",
      "home/lib",
      "home/.local/bin",
      "home/.local/lib",
    ])
      folder(each);
    folder("root/known/inner");
    folder("root/bin");
    folder("root/lib");
    const list = ["known/bin", "home/bin", "home/.local/bin", "root/bin", "home", ""];
    const path = list.map((each) => join(base, each)).join(":");
    const known = [join(base, "known"), join(base, "root/known")];
    expect(await seen({ path, known })).toEqual(["home/.local/bin", "home/bin", "root/bin"]);
  });
});

it("of folders that lie in each other the outermost remain", () => {
  expect(outermost(["/a/b", "/a", "/ab", "/a", "/c/d", "/c/d/e"])).toEqual(["/a", "/ab", "/c/d"]);
});
