import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkFixture, type WorkFixture } from "./work-fixture.js";

/** A tool chain: a registry with one package, a project that uses it, and the line that installs and prints 42. */
interface ToolChain {
  readonly name: string;
  /** The preset that opens its registry. */
  readonly network: string;
  readonly publish: (fixture: WorkFixture) => void;
  readonly install: string;
  /** Without network, from what was kept. */
  readonly again: string;
}

const put = (root: string, path: string, text: string | Uint8Array): string => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
};

/** Names of files, relative to a folder, packed by Python's zipfile: Go and Composer take zip archives. */
const zip = (target: string, folder: string): void => {
  mkdirSync(dirname(target), { recursive: true });
  const script =
    "import os, sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w')\n" +
    "for base, _, names in os.walk('.'):\n  [z.write(os.path.join(base, n)) for n in names]\nz.close()";
  execFileSync("python3", ["-c", script, target], { cwd: folder });
};

const chains: readonly ToolChain[] = [
  {
    name: "npx",
    network: "npm",
    publish: () => {}, // the fixture has a package for npm
    install: "npx -y left-pad",
    again: "npx -y --offline left-pad",
  },
  {
    name: "go",
    network: "go",
    publish(fixture) {
      const { root, home, place } = fixture;
      const at = "files/goproxy/example.org/pad/@v";
      const module = "module example.org/pad\n\ngo 1.19\n";
      put(root, `${at}/list`, "v1.0.0\n");
      put(root, `${at}/v1.0.0.info`, '{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}');
      put(root, `${at}/v1.0.0.mod`, module);
      put(root, "go-source/example.org/pad@v1.0.0/go.mod", module);
      put(root, "go-source/example.org/pad@v1.0.0/pad.go", "package pad\n\nfunc Value() int { return 42 }\n");
      zip(join(root, at, "v1.0.0.zip"), join(root, "go-source"));
      put(home, ".config/go/env", `GOPROXY=http://${place}/goproxy\nGOSUMDB=off\n`);
      fixture.put("go/go.mod", "module example.org/app\n\ngo 1.19\n");
      fixture.put(
        "go/main.go",
        'package main\n\nimport "example.org/pad"\n\nfunc main() { println(pad.Value()) }\n',
      );
    },
    install: "cd go && go get example.org/pad@v1.0.0 && go run . 2>&1",
    again: "cd go && go run . 2>&1",
  },
  {
    name: "ruby",
    network: "gem",
    publish(fixture) {
      const { root, home, place } = fixture;
      put(root, "gem-source/lib/pad.rb", "PAD = 42\n");
      const spec =
        "Gem::Specification.new { |s| s.name = 'pad'; s.version = '1.0.0'; s.summary = 'x'; s.authors = ['a']; s.files = ['lib/pad.rb'] }\n";
      put(root, "gem-source/pad.gemspec", spec);
      mkdirSync(join(root, "files/gems/gems"), { recursive: true });
      const target = join(root, "files/gems/gems/pad-1.0.0.gem");
      execFileSync("gem", ["build", "pad.gemspec", "-o", target], {
        cwd: join(root, "gem-source"),
        stdio: "ignore",
      });
      execFileSync("gem", ["generate_index", "-d", join(root, "files/gems")], { stdio: "ignore" });
      put(home, ".gemrc", `:sources:\n- http://${place}/gems/\n`);
      fixture.put("ruby/main.rb", 'require "pad"\nputs PAD\n');
    },
    install: "cd ruby && gem install --user-install --no-document pad && ruby main.rb",
    again: "cd ruby && ruby main.rb",
  },
  {
    name: "php",
    network: "composer",
    publish(fixture) {
      const { root, place } = fixture;
      put(root, "composer-source/pad.php", "<?php function pad() { return 42; }\n");
      put(root, "composer-source/composer.json", '{"name":"example/pad","autoload":{"files":["pad.php"]}}');
      const archive = join(root, "files/composer/pad.zip");
      zip(archive, join(root, "composer-source"));
      const shasum = createHash("sha1").update(readFileSync(archive)).digest("hex");
      const dist = { type: "zip", url: `http://${place}/composer/pad.zip`, shasum };
      const described = { name: "example/pad", version: "1.0.0", dist, autoload: { files: ["pad.php"] } };
      put(
        root,
        "files/composer/packages.json",
        JSON.stringify({ packages: { "example/pad": { "1.0.0": described } } }),
      );
      const project = {
        repositories: [{ type: "composer", url: `http://${place}/composer` }, { "packagist.org": false }],
        require: { "example/pad": "1.0.0" },
        config: { "secure-http": false },
      };
      fixture.put("php/composer.json", JSON.stringify(project));
      fixture.put("php/main.php", '<?php require "vendor/autoload.php"; echo pad(), "\\n";\n');
    },
    install: "cd php && composer install --no-interaction 2>&1 && php main.php",
    again: "cd php && rm -rf vendor && composer install --no-interaction 2>&1 && php main.php",
  },
];

describe("a tool chain in the sandbox", () => {
  let fixture: WorkFixture;
  beforeAll(async () => {
    fixture = await openWorkFixture();
    for (const { publish } of chains) publish(fixture);
  });
  afterAll(() => fixture.close());

  it.each(chains)("installs from its registry, and again without network: $name", async (chain) => {
    const first = await fixture.run(chain.install, { network: [chain.network] });
    expect([first.exitCode, first.stdout], `${first.stderr}\n${first.notes.join(" ")}`).toEqual([
      0,
      expect.stringMatching(/(?:^|\n)42\n$/),
    ]);
    const again = await fixture.run(chain.again);
    expect([again.exitCode, again.stdout], again.stderr).toEqual([0, expect.stringMatching(/(?:^|\n)42\n$/)]);
  });

  it("leaves the caches of the person as they were", () => {
    for (const path of ["go", ".cache", ".local", ".composer", ".gem", ".bundle"])
      expect(existsSync(join(fixture.home, path)), path).toBe(false);
    expect(readdirSync(fixture.home).sort()).toEqual([".config", ".gemrc", ".npmrc"]);
  });
});
