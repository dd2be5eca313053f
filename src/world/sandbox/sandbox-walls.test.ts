import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "./run-program.js";
import { type Fixture, type FixtureOptions, openFixture } from "./sandbox.fixture.js";

const protectedPaths = ["**/.vscode/**", "**/.git/**", "**/.mcp.json"];

async function withFixture(options: FixtureOptions, act: (fixture: Fixture) => Promise<void>): Promise<void> {
  const fixture = await openFixture(options);
  try {
    await act(fixture);
  } finally {
    await fixture.close();
  }
}

describe("folders on the way to what a rule is about", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture({ forbiddenPaths: ["config/secrets/**", "**/*.pem"], protectedPaths });
    fixture.write("work space/config/secrets/key", "SECRET");
    fixture.write("work space/config/plain", "plain");
    fixture.write("work space/a/b/c/d.pem", "SECRET");
    fixture.write("work space/app/sub/.vscode/tasks.json", "{}");
    fixture.write("work space/app/sub/x", "x");
    execFileSync("git", ["init", "-q", join(fixture.workspace, "app/nested")]);
    fixture.write("work space/app/nested/.git/hooks/pre-commit", "original");
  });
  afterAll(() => fixture.close());

  it.each([
    [
      "renames",
      `mv config c2; mv a a2; mv a/b a/b2; mv config CONFIG; mkdir -p o; mv config o/; mv config/secrets s
      python3 -c "
import ctypes, os
os.makedirs('empty', exist_ok=True)
for one in (b'config', b'config/secrets', b'a', b'a/b', b'a/b/c', b'a/b/c/d.pem'):
    ctypes.CDLL(None).renameat2(-100, one, -100, b'empty', 2)
    ctypes.CDLL(None).renameat2(-100, one, -100, b'free', 1)"
      perl -e 'rename("config", "c3"); rename("a/b", "b3")'
      node -e 'for (const p of ["config", "a/b/c"]) try { require("fs").renameSync(p, "c4") } catch {}'
      git init -q .; git mv -k config c5; git mv -k a a5`,
    ],
    [
      "links",
      `ln config/secrets/key k1; ln a/b/c/d.pem k2; ln -s config/secrets l1; ln -s ../config/secrets/key a/l2
      cat k1 k2 l1/key a/l2; cp -l config/secrets/key k3; cat k3
      python3 -c "import os; os.link('a/b/c/d.pem', 'k4', follow_symlinks=True)"; cat k4`,
    ],
    [
      "copies and archives",
      `cp -a config cc; cp -aL a aa; cp --reflink=auto config/secrets/key kk; install config/secrets/key kk
      tar cf t.tar config a; tar xOf t.tar; dd if=config/secrets/key; dd if=a/b/c/d.pem
      find . -name key -exec cat {} +; find . -name '*.pem' -exec cat {} +; find config -type f -exec mv {} . ';'
      awk 1 config/secrets/key a/b/c/d.pem; sed '' config/secrets/key; sed -i s/SECRET/x/ a/b/c/d.pem
      echo '%p' | ed -s config/secrets/key; git hash-object -w a/b/c/d.pem; git add -A -f; git show :a/b/c/d.pem
      command -v rsync && rsync -a config/ rr; command -v zip && zip -qr z.zip config a </dev/null && unzip -p z.zip`,
    ],
    [
      "ways around",
      `python3 -c "
import os
for p in ['config/secrets/key', 'config/secrets', 'a/b/c/d.pem']:
    try:
        fd = os.open(p, os.O_PATH)
        print(open('/proc/self/fd/%d' % fd).read())
    except OSError: pass"
      cat /proc/self/cwd/config/secrets/key /proc/1/root$PWD/config/secrets/key
      umount config/secrets; umount -l a/b/c/d.pem; chmod 777 config/secrets a/b/c/d.pem; cat config/secrets/key a/b/c/d.pem
      unshare -rm sh -c 'umount config/secrets; cat config/secrets/key'
      truncate -s 0 a/b/c/d.pem; rm -rf config a; shred a/b/c/d.pem; perl -e 'unlink "a/b/c/d.pem"'
      python3 -c "import shutil; shutil.rmtree('config', True); shutil.move('a', 'a9')"`,
    ],
  ])("do not give it away by %s", async (_, script) => {
    const { stdout } = await fixture.sh(`${script}\n grep -rhs SECRET . || true`);
    expect(stdout).not.toContain("SECRET");
    expect(readFileSync(join(fixture.workspace, "config/secrets/key"), "utf8")).toBe("SECRET");
    expect(readFileSync(join(fixture.workspace, "a/b/c/d.pem"), "utf8")).toBe("SECRET");
  });

  it("do not let what is protected be replaced by rename and copy back", async () => {
    await fixture.sh(`mv app app2; cp -a app2 app; echo evil > app/nested/.git/hooks/pre-commit; echo evil > app/sub/.vscode/tasks.json
      mv app/sub app/sub2; cp -a app/sub2 app/sub; echo evil > app/sub/.vscode/tasks.json
      mv app/nested app/n2; cp -a app/n2 app/nested; echo evil > app/nested/.git/hooks/pre-commit
      mv app/nested/.git app/nested/g; cp -a app/nested/g app/nested/.git; echo evil > app/nested/.git/hooks/pre-commit
      rm -rf app; python3 -c "import shutil; shutil.rmtree('app')"`);
    expect(readFileSync(join(fixture.workspace, "app/nested/.git/hooks/pre-commit"), "utf8")).toBe(
      "original",
    );
    expect(readFileSync(join(fixture.workspace, "app/sub/.vscode/tasks.json"), "utf8")).toBe("{}");
  });

  it("stay usable: files beside can be made, changed and moved", async () => {
    const { code, stderr } = await fixture.sh(
      "echo y > config/new && mv config/new config/newer && mv config/newer elsewhere && cp elsewhere config/plain && mkdir -p a/b/z && rm -r a/b/z && echo z > a/b/c/file",
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(readFileSync(join(fixture.workspace, "config/plain"), "utf8")).toBe("y\n");
  });
});

describe("unusual trees", () => {
  it("have names that are not UTF-8", () =>
    withFixture({ forbiddenPaths: ["**/*.pem"] }, async (fixture) => {
      const folder = Buffer.concat([Buffer.from(`${fixture.workspace}/caf`), Buffer.from([0xe9])]);
      mkdirSync(folder);
      writeFileSync(Buffer.concat([folder, Buffer.from("/k.pem")]), "SECRET");
      // As text, all three names are the same.
      for (const bytes of [
        [0xff, 0xfe],
        [0xfe, 0xff],
        [0xff, 0xff],
      ]) {
        writeFileSync(
          Buffer.concat([folder, Buffer.from("/"), Buffer.from(bytes), Buffer.from(".pem")]),
          "SECRET",
        );
      }
      writeFileSync(Buffer.concat([folder, Buffer.from("/open")]), "OPEN");
      const { stdout } = await fixture.sh("cat caf*/*; mv caf* moved; cat moved/*");
      expect(stdout).toMatch(/^(?:OPEN)+$/);
    }));

  it("have more paths that are hidden than can be covered one by one", () =>
    withFixture({ forbiddenPaths: ["**/*.pem"] }, async (fixture) => {
      for (let index = 0; index < 1000; index += 1)
        fixture.write(`work space/many/${index % 50}/${index}.pem`, "SECRET");
      fixture.write("work space/plain", "PLAIN");
      fixture.write("work space/few/x.pem", "SECRET");
      fixture.write("work space/few/plain", "PLAIN");
      const wrapped = await fixture.wrap({
        argv: ["/bin/sh", "-c", "grep -rhs SECRET .; cat plain few/plain"],
      });
      const { stdout } = await runProgram({ ...wrapped, timeoutMs: 30_000 });
      expect(stdout).toBe("PLAINPLAIN");
      expect(wrapped.notes.join("\n")).toContain("was hidden as a whole");
      await wrapped.finish();
    }));

  it("are refused where more is hidden at the top than can be covered", () =>
    withFixture({ forbiddenPaths: ["*.pem"] }, async (fixture) => {
      for (let index = 0; index < 500; index += 1) fixture.write(`work space/${index}.pem`, "SECRET");
      expect((await fixture.sandbox.ready()).active).toBe(true);
      await expect(fixture.sh("cat *.pem")).rejects.toThrow("too many to hide");
    }));

  it("are deeper than a path can be long", () =>
    withFixture({ forbiddenPaths: ["**/*.pem"], protectedPaths }, async (fixture) => {
      execFileSync("python3", [
        "-c",
        `import os
os.chdir(${JSON.stringify(fixture.workspace)})
open('plain', 'w').write('PLAIN')
for i in range(2500):
    os.mkdir('d'); os.chdir('d')
    if i in (100, 2400): open('k.pem', 'w').write('SECRET')`,
      ]);
      const wrapped = await fixture.wrap({
        argv: [
          "/usr/bin/perl",
          "-e",
          'sub show { if (open(F, "<", $_[0])) { print <F> } } show("plain"); while (chdir "d") { show("k.pem") }',
        ],
      });
      const { stdout } = await runProgram({ ...wrapped, timeoutMs: 30_000 });
      expect(stdout).toBe("PLAIN");
      await wrapped.finish();
      execFileSync("python3", [
        "-c",
        `import os
os.chdir(${JSON.stringify(fixture.workspace)})
os.unlink('plain')
n = 0
while os.path.exists('d'): os.chdir('d'); n += 1
for i in range(n):
    if os.path.exists('k.pem'): os.unlink('k.pem')
    os.chdir('..'); os.rmdir('d')`,
      ]);
    }));

  it("have links into and out of what is hidden", () =>
    withFixture({ forbiddenPaths: ["secrets", ".env"] }, async (fixture) => {
      fixture.write("work space/secrets/key", "SECRET");
      fixture.write("work space/real/env.txt", "SECRET");
      fixture.write("work space/plain", "PLAIN");
      symlinkSync("real/env.txt", join(fixture.workspace, ".env"));
      symlinkSync("secrets", join(fixture.workspace, "in"));
      symlinkSync("../plain", join(fixture.workspace, "secrets/out"));
      const { stdout } = await fixture.sh("cat in/key secrets/out .env real/env.txt plain");
      expect(stdout).toBe("PLAIN");
    }));

  it("have a file that becomes a folder", () =>
    withFixture({ forbiddenPaths: ["**/*.pem"] }, async (fixture) => {
      const path = fixture.write("work space/a/x.pem", "SECRET");
      expect((await fixture.sh("cat a/x.pem")).stdout).toBe("");
      renameSync(path, join(fixture.root, "aside"));
      fixture.write("work space/a/x.pem/inner", "SECRET");
      expect((await fixture.sh("cat a/x.pem/inner; mv a b; cat b/x.pem/inner")).stdout).toBe("");
    }));
});

describe("what a command makes that a rule hides", () => {
  it("is told by name, and hidden from the next command", () =>
    withFixture({ forbiddenPaths: ["**/*.pem"] }, async (fixture) => {
      await fixture.sandbox.ready();
      const wrapped = await fixture.wrap({
        argv: ["/bin/sh", "-c", "mkdir -p a/b/c; echo SECRET > a/b/c/new.pem"],
      });
      await runProgram({ ...wrapped, timeoutMs: 10_000 });
      const { warnings } = await wrapped.finish();
      expect(warnings.join()).toContain("a/b/c/new.pem");
      expect(existsSync(join(fixture.workspace, "a/b/c/new.pem"))).toBe(true);
      expect((await fixture.sh("cat a/b/c/new.pem; mv a z; cat z/b/c/new.pem")).stdout).toBe("");
    }));
});
