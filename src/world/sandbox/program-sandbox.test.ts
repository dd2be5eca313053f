import { mkdirSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram, type ProgramResult } from "./run-program.js";
import { openFixture, type Fixture } from "./sandbox.fixture.js";
import { programHome, type ProgramFolders, type SandboxCommand } from "./sandbox-types.js";

describe("a program of the configuration", () => {
  let fixture: Fixture;
  let own: string;

  beforeAll(async () => {
    fixture = await openFixture({
      forbiddenPaths: ["private/**", "*.pem"],
      protectedPaths: ["**/.vscode/**"],
    });
    fixture.write("work space/notes.txt", "notes");
    fixture.write("work space/private/key.txt", "secret");
    fixture.write("work space/docs/deep/cert.pem", "secret");
    fixture.write("work space/docs/page.md", "page");
    fixture.write("work space/docs/.vscode/tasks.json", "{}");
    fixture.write("home/.ssh/id_ed25519", "secret");
    fixture.write("home/data/list.csv", "1,2");
    own = join(fixture.stateDir, "programs", "one");
    mkdirSync(own, { recursive: true });
  });
  afterAll(() => fixture.close());

  const run = async (
    script: string,
    folders: Partial<ProgramFolders> = {},
    command: Partial<SandboxCommand> = {},
  ): Promise<ProgramResult> => {
    const { readable = [], writable = [] } = folders;
    const wrapped = await fixture.sandbox.wrapProgram(
      {
        argv: ["/bin/sh", "-c", script],
        cwd: programHome,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: programHome },
        readOnly: writable.length === 0,
        background: true,
        home: own,
        ...command,
      },
      { readable, writable, programs: [] },
    );
    const result = await runProgram({ ...wrapped, timeoutMs: 20_000 });
    await wrapped.finish();
    return result;
  };

  it("sees neither the workspace nor the home folder, and writes only its own folder and /tmp", async () => {
    const { stdout, stderr } = await run(
      `ls -A '${fixture.workspace}' '${fixture.home}' '${fixture.stateDir}' 2>/dev/null; cat '${fixture.home}/.ssh/id_ed25519';
       echo x > '${fixture.home}/planted'; echo x > /usr/planted; echo kept > ~/kept; echo x > /tmp/t && echo done; pwd`,
    );
    expect(stdout).not.toMatch(/notes|ssh|private|secret/);
    expect(stdout).toMatch(new RegExp(`done\n${programHome}\n$`));
    expect(stderr).toMatch(/id_ed25519/);
    expect(existsSync(join(fixture.home, "planted"))).toBe(false);
    expect((await run("cat ~/kept")).stdout).toBe("kept\n");
  });

  it("reads and writes the folders that it was granted, and no others", async () => {
    const data = join(fixture.home, "data");
    const read = await run(`cat '${data}/list.csv'; echo 3 >> '${data}/list.csv'`, { readable: [data] });
    expect([read.stdout, read.code]).toEqual(["1,2", 2]);
    const wrote = await run(
      `echo 3 >> '${data}/list.csv'; cat '${data}/list.csv'; cat '${fixture.home}/.ssh/id_ed25519'`,
      { writable: [data] },
    );
    expect(wrote.stdout).toBe("1,23\n");
  });

  it("does not see what rules hide in a granted part of the workspace, at any depth", async () => {
    const script = `cd '${fixture.workspace}'; cat private/key.txt docs/deep/cert.pem docs/page.md; echo x > docs/.vscode/tasks.json; echo x > docs/new.md; cat docs/new.md`;
    for (const writable of [[fixture.workspace], [join(fixture.workspace, "docs")]]) {
      const { stdout, stderr } = await run(script, { writable });
      expect(stdout).toBe("pagex\n");
      expect(stderr).toMatch(/tasks.json/);
    }
  });

  it("does not see keys in a home folder that it was granted, except for one that was named", async () => {
    const script = `cat '${fixture.home}/.ssh/id_ed25519' '${fixture.home}/data/list.csv'`;
    expect((await run(script, { readable: [fixture.home] })).stdout).not.toContain("secret");
    expect((await run(script, { readable: [join(fixture.home, ".ssh")] })).stdout).toBe("secret");
  });

  it("cannot leave a link in its folder by which a later start would reach out", async () => {
    symlinkSync(fixture.home, join(own, "escape"));
    expect((await run("ls -A ~/escape/")).stdout).not.toContain(".ssh");
  });

  it("learns that it has no network, and what it tried is reported", async () => {
    const seen: string[] = [];
    const script = `getent hosts packages.example.org || echo unknown; echo "$HTTP_PROXY"`;
    const { stdout } = await run(
      script,
      {},
      {
        sessionId: "program one",
        network: {
          hosts: [],
          isReported: true,
          onUse: ({ host, verdict }) => seen.push(`${verdict} ${host}`),
        },
      },
    );
    expect(stdout).toMatch(/^unknown\nhttp:\/\/127.0.0.1:\d+\n$/);
    expect(seen).toEqual(["refused packages.example.org"]);
  });
});
