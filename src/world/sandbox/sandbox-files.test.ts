import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "./run-program.js";
import { type Fixture, openFixture } from "./sandbox.fixture.js";

describe("files inside the sandbox", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture({
      forbiddenPaths: [".env", "secrets", "deep/**/*.pem", "/opt"],
      protectedPaths: ["**/tenon.config.*", "**/.vscode/**", "**/.git/**"],
    });
    fixture.write("home/.ssh/id_rsa", "home secret");
    fixture.write("home/.npmrc", "home secret");
    fixture.write("state/journal.db", "state secret");
    fixture.write("outside.txt", "outside");
    fixture.write("work space/.env", "forbidden secret");
    fixture.write("work space/packages/a/.env", "forbidden secret");
    fixture.write("work space/packages/node_modules/a/.env", "forbidden secret");
    fixture.write("work space/secrets/key.txt", "forbidden secret");
    fixture.write("work space/deep/a/b/x.pem", "forbidden secret");
    fixture.write("work space/tenon.config.json", "{}");
    fixture.write("work space/sub/.vscode/tasks.json", "{}");
    fixture.write("work space/plain.txt", "plain");
  });
  afterAll(() => fixture.close());

  it("can be read and written in the workspace, and belong to the user who started it", async () => {
    const { code } = await fixture.sh("cat plain.txt > copy.txt && mkdir new && echo x > 'new/a b'");
    expect(code).toBe(0);
    expect(readFileSync(join(fixture.workspace, "copy.txt"), "utf8")).toBe("plain");
    expect(statSync(join(fixture.workspace, "new/a b")).uid).toBe(process.getuid?.());
  });

  it("are those of a user whose home folder is the person's, for programs that do not look at HOME too", async () => {
    const { stdout } = await fixture.sh(
      "getent passwd \"$(id -u)\" | cut -d: -f6; unset HOME; bash -c 'echo ~'",
    );
    expect(stdout).toBe(`${fixture.home}\n${fixture.home}\n`);
  });

  it("cannot be written anywhere else", async () => {
    const places = [
      "/",
      "/etc/",
      "/usr/",
      "/usr/local/bin/",
      "/opt/",
      "/dev/",
      "/run/",
      "/var/",
      "/proc/",
      "/sys/",
    ];
    const { stdout } = await fixture.sh(
      places.map((place) => `(echo x > ${place}tenon-probe) 2>/dev/null && echo wrote ${place}`).join("\n"),
    );
    expect(stdout).toBe("");
    for (const place of places) expect(existsSync(`${place}tenon-probe`)).toBe(false);
    await fixture.sh(`echo gone > '${fixture.root}/outside.txt'; echo x > '${fixture.root}/new.txt'`);
    expect(readFileSync(join(fixture.root, "outside.txt"), "utf8")).toBe("outside");
    expect(existsSync(join(fixture.root, "new.txt"))).toBe(false);
  });

  it.each([
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/ssh/sshd_config",
    "home/.ssh/id_rsa",
    "home/.npmrc",
    "state/journal.db",
    "outside.txt",
    "work space/.env",
    "work space/packages/a/.env",
    "work space/packages/node_modules/a/.env",
    "work space/secrets/key.txt",
    "work space/deep/a/b/x.pem",
  ])("hides %s", async (name) => {
    const path = name.startsWith("/") ? name : join(fixture.root, name);
    for (const readOnly of [true, false]) {
      const { code, stdout } = await fixture.run(["/bin/cat", path], { readOnly });
      expect([stdout, code]).toEqual(["", 1]);
    }
  });

  it("hides folders of other people and of the machine", async () => {
    const { stdout } = await fixture.sh(
      `ls '${fixture.stateDir}' /root/.ssh /home /mnt /srv /opt /run /boot secrets`,
    );
    expect(stdout.replaceAll(/^.*:\n?|\n/gm, "")).toBe("");
  });

  it("cannot be reached by a link that leads out", async () => {
    symlinkSync(join(fixture.root, "outside.txt"), join(fixture.workspace, "link"));
    symlinkSync(join(fixture.workspace, ".env"), join(fixture.workspace, "link-to-env"));
    const { stdout } = await fixture.sh("cat link link-to-env; echo changed > link");
    expect(stdout).toBe("");
    expect(readFileSync(join(fixture.root, "outside.txt"), "utf8")).toBe("outside");
  });

  it("cannot be reached by a hard link made inside", async () => {
    const { stdout } = await fixture.sh(
      "ln tenon.config.json alias && echo evil > alias; ln .env seen && cat seen",
    );
    expect(stdout).toBe("");
    expect(readFileSync(join(fixture.workspace, "tenon.config.json"), "utf8")).toBe("{}");
  });

  it("cannot be reached through /proc", async () => {
    const outside = `${fixture.root}/outside.txt`;
    const { stdout } = await fixture.sh(
      `for p in /proc/[0-9]*; do cat "$p/root${outside}" "$p/cwd/../outside.txt"; ls "$p/root/oldroot"; done 2>/dev/null`,
    );
    expect(stdout).toBe("");
  });

  it("cannot be changed at all by a command that only reads", async () => {
    const { stdout } = await fixture.sh(
      "echo x > plain.txt && echo wrote; rm -f plain.txt && echo removed; mkdir m && echo made",
      {
        readOnly: true,
      },
    );
    expect(stdout).toBe("");
    expect(readFileSync(join(fixture.workspace, "plain.txt"), "utf8")).toBe("plain");
  });

  it("cannot be changed where they are protected", async () => {
    await fixture.sh(
      "echo x > tenon.config.json; echo x > sub/.vscode/tasks.json; echo y > sub/.vscode/new.json",
    );
    await fixture.sh(
      "rm -rf tenon.config.json sub/.vscode; mv tenon.config.json t; echo x > t2; mv t2 tenon.config.json",
    );
    expect(readFileSync(join(fixture.workspace, "tenon.config.json"), "utf8")).toBe("{}");
    expect(readFileSync(join(fixture.workspace, "sub/.vscode/tasks.json"), "utf8")).toBe("{}");
    expect(existsSync(join(fixture.workspace, "sub/.vscode/new.json"))).toBe(false);
  });

  it("are held back where a command makes a protected path that was not there", async () => {
    const wrapped = await fixture.wrap({
      argv: ["/bin/sh", "-c", "mkdir .vscode && echo x > .vscode/tasks.json"],
    });
    await runProgram({ ...wrapped, timeoutMs: 10_000 });
    expect(await wrapped.finish()).toMatchObject({
      heldBack: [
        {
          path: ".vscode/tasks.json",
          rule: "**/.vscode/**",
          reason: "other programs later run it or load it as configuration",
        },
      ],
      warnings: [],
    });
    expect(existsSync(join(fixture.workspace, ".vscode"))).toBe(false);
  });

  it("cannot be made to run as their owner", async () => {
    const { stdout } = await fixture.sh(
      "cp /bin/cat mycat; chmod u+s mycat && echo set; chmod 755 mycat && ./mycat plain.txt",
    );
    expect(stdout).toBe("plain");
    expect(statSync(join(fixture.workspace, "mycat")).mode & 0o7777).toBe(0o755);
  });

  it("in /tmp and the cache stay for the next command, and no longer than the sandbox", async () => {
    await fixture.sh("echo kept > /tmp/kept; echo cached > ~/.cache/kept; echo gone > ~/gone");
    const { stdout } = await fixture.sh("cat /tmp/kept ~/.cache/kept /var/tmp/kept; cat ~/gone 2>/dev/null");
    expect(stdout).toBe("kept\ncached\nkept\n");
    expect(existsSync("/tmp/kept")).toBe(false);
  });

  it("on the way to the workspace cannot be swapped for a link between two commands", async () => {
    const first = fixture.root.split("/").slice(0, 3).join("/");
    await fixture.sh(`mv ${first} /tmp/moved; rmdir ${first}; ln -sT /oldroot/etc ${first}`);
    const { code, stdout } = await fixture.sh("cat plain.txt");
    expect([code, stdout]).toEqual([0, "plain"]);
    expect(existsSync("/etc/work space")).toBe(false);
  });
});

describe("the workspace in unusual places", () => {
  it("is found through a link, by both names", async () => {
    const fixture = await openFixture();
    const link = join(fixture.root, "alias");
    symlinkSync(fixture.workspace, link);
    const other = await openFixture({ workspace: link });
    try {
      fixture.write("work space/x", "through");
      const { stdout } = await other.sh(`cat x '${link}/x' '${fixture.workspace}/x'`, { cwd: link });
      expect(stdout).toBe("throughthroughthrough");
    } finally {
      await Promise.all([fixture.close(), other.close()]);
    }
  });

  it("may have line breaks and quotes in its name", async () => {
    const outer = await openFixture();
    const workspace = join(outer.root, 'it\'s "a"\nname $(x)');
    mkdirSync(workspace);
    const fixture = await openFixture({ workspace });
    try {
      const { code } = await fixture.sh("pwd > here");
      expect(code).toBe(0);
      expect(readFileSync(join(workspace, "here"), "utf8")).toBe(`${workspace}\n`);
    } finally {
      await Promise.all([fixture.close(), outer.close()]);
    }
  });

  it("may be the home folder: its keys are hidden then", async () => {
    const outer = await openFixture();
    outer.write("home/.ssh/id_rsa", "secret");
    outer.write("home/project/x", "seen");
    const fixture = await openFixture({ workspace: outer.home, home: outer.home });
    try {
      const { stdout } = await fixture.sh("cat project/x .ssh/id_rsa");
      expect(stdout).toBe("seen");
    } finally {
      await Promise.all([fixture.close(), outer.close()]);
    }
  });

  it("holds Tenon's state only hidden", async () => {
    const outer = await openFixture();
    const stateDir = join(outer.workspace, "state");
    outer.write("work space/state/db", "secret");
    const fixture = await openFixture({ workspace: outer.workspace, stateDir });
    try {
      const { stdout } = await fixture.sh("cat state/db; mv state moved; cat moved/db; ls moved");
      expect(stdout).toBe("");
    } finally {
      await Promise.all([fixture.close(), outer.close()]);
    }
  });
});

describe("further folders", () => {
  it("are visible as far as the person says", async () => {
    const outer = await openFixture();
    outer.write("read/x", "read");
    outer.write("write/x", "write");
    const [read, write] = [join(outer.root, "read"), join(outer.root, "write")] as const;
    chmodSync(write, 0o755);
    const fixture = await openFixture({ settings: { readable: [read], writable: [write] } });
    try {
      const { stdout } = await fixture.sh(
        `cat ${read}/x ${write}/x; echo new > ${write}/x; echo new > ${read}/x`,
      );
      expect(stdout).toBe("readwrite");
      expect(readFileSync(join(write, "x"), "utf8")).toBe("new\n");
      expect(readFileSync(join(read, "x"), "utf8")).toBe("read");
      const { code } = await fixture.sh(`echo newer > ${write}/x`, { readOnly: true });
      expect(code).not.toBe(0);
    } finally {
      await Promise.all([fixture.close(), outer.close()]);
    }
  });

  it("do not come in by the PATH of a command", async () => {
    const fixture = await openFixture();
    fixture.write("home/.ssh/id_rsa", "secret");
    try {
      const { stdout } = await fixture.run(["/bin/cat", join(fixture.home, ".ssh/id_rsa")], {
        env: { PATH: `${fixture.home}/.ssh:/bin` },
      });
      expect(stdout).toBe("");
    } finally {
      await fixture.close();
    }
  });

  it("with tool chains of the home come in by the person's PATH, without what lies beside them", async () => {
    const outer = await openFixture();
    const tool = outer.write("home/.cargo/bin/mytool", "#!/bin/sh\necho tool ran\n");
    outer.write("home/.cargo/credentials.toml", "secret");
    outer.write("home/tools/bin/other", '#!/bin/sh\ncat ../lib/x "$(dirname "$0")/../lib/x"\n');
    outer.write("home/tools/lib/x", "library");
    chmodSync(tool, 0o755);
    chmodSync(join(outer.home, "tools/bin/other"), 0o755);
    linkSync(tool, join(outer.home, "tools/bin/mytool"));
    const path = `${outer.home}/.cargo/bin:${outer.home}/tools/bin:/usr/bin:/bin`;
    const fixture = await openFixture({ home: outer.home, env: { PATH: path } });
    try {
      const env = { PATH: path, HOME: outer.home };
      const { stdout } = await fixture.sh(
        "mytool; other 2>/dev/null; cat ~/.cargo/credentials.toml; echo x > ~/.cargo/bin/y && echo wrote",
        { env },
      );
      expect(stdout).toBe("tool ran\nlibrary");
    } finally {
      await Promise.all([fixture.close(), outer.close()]);
    }
  });
});
