import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CommandResult, Processes } from "../../contract/ports/processes.js";
import { openCommandFixture, type CommandFixture } from "./testing/command-fixture.js";
import { underLoad } from "../../../test/setup/under-load.js";

let fixture: CommandFixture;
let processes: Processes;

beforeAll(() => {
  fixture = openCommandFixture();
  processes = fixture.forCall();
});
afterEach(async () => {
  await expect.poll(() => fixture.survivors()).toEqual([]);
});
afterAll(() => fixture.close());

function run(
  command: string,
  options: Partial<Parameters<Processes["run"]>[0]> = {},
): Promise<CommandResult> {
  return processes.run({ command, readOnly: false, timeoutMs: 20_000, ...options });
}

describe("a command", () => {
  it("answers with its output, its exit code, its shell and its folder", async () => {
    const result = await run("echo out; echo err >&2; exit 3");
    expect(result).toMatchObject({
      stdout: { text: "out\n", bytes: 4, truncated: false },
      stderr: { text: "err\n" },
      exitCode: 3,
      signal: null,
      timedOut: false,
      shell: "bash",
      cwd: fixture.workspace,
      leftBehind: false,
    });
  });

  it("has real pipes for its output, so that /dev/stdout and /dev/stderr can be opened", async () => {
    const result = await run("echo a >/dev/stdout; echo b | tee /dev/stderr");
    expect(result.stdout.text).toBe("a\nb\n");
    expect(result.stderr.text).toBe("b\n");
  });

  it("finds nothing on its stdin", async () => {
    expect(await run("cat; echo end; read line; echo $?")).toMatchObject({ stdout: { text: "end\n1\n" } });
  });

  it("is the leader of a group of its own, with every signal as it should be and no foreign descriptor", async () => {
    const { stdout } = await run(
      "ps -o pgid= -p $$ | tr -d ' '; echo $$; grep SigIgn /proc/self/status; ls /proc/self/fd",
    );
    const [group, pid, ignored, ...descriptors] = stdout.text.trim().split("\n");
    expect(group).toBe(pid);
    expect(ignored).toMatch(/SigIgn:\t0+$/);
    expect(descriptors).toEqual(["0", "1", "2", "3"]); // the last one is what ls itself reads
  });

  it("takes nothing from the host's environment but what the session holds", async () => {
    process.env["TENON_TEST_LEAK"] = "1";
    const { stdout } = await run("env");
    delete process.env["TENON_TEST_LEAK"];
    expect(stdout.text).not.toContain("TENON_TEST_LEAK");
    expect(stdout.text).not.toContain("LC_ALL");
    for (const pair of ["PAGER=cat", "GIT_TERMINAL_PROMPT=0", "TERM=dumb", "NO_COLOR=1"]) {
      expect(stdout.text).toContain(pair);
    }
  });

  it.each([
    ["LANG", { LANG: "C.UTF-8" }, "1\nC.UTF-8 none none\n"],
    ["LC_CTYPE", { LC_CTYPE: "C.UTF-8" }, "1\nnone C.UTF-8 none\n"],
    ["LC_ALL", { LANG: "C.UTF-8", LC_ALL: "C" }, "2\nC.UTF-8 none C\n"],
    ["none", {}, "2\nnone none none\n"],
  ])("counts characters in the locale of its session, given by %s", async (_name, env, output) => {
    const line = 'v="ä"; echo ${#v}; echo ${LANG-none} ${LC_CTYPE-none} ${LC_ALL-none}';
    expect((await run(line, { env })).stdout.text).toBe(output);
  });

  it.each([
    ["quotes", `it's "a" $HOME \`x\` \\`],
    ["newlines", "a\nb\n\nc "],
    ["what a shell would run", "$(touch hacked); `touch hacked` | touch hacked & '"],
    ["characters of all kinds", "äöü 漢字 🎉 \u0001\u001f ü"],
    ["names that bash keeps for itself", "1234"],
  ])("gets a variable with %s as it is", async (_name, value) => {
    const name = value === "1234" ? "UID" : "VALUE";
    const { stdout } = await run(`node -e 'process.stdout.write(JSON.stringify(process.env.${name}))'`, {
      env: { [name]: value },
    });
    expect(stdout.text).toBe(JSON.stringify(value));
    expect((await run("ls")).stdout.text).toBe("");
  });

  it("takes no variable for one of its own starter", async () => {
    const names = "own dir tag id pid request length names file left round first last n fd running PS4".split(
      " ",
    );
    const value = "$(touch hacked); touch hacked #";
    const env = Object.fromEntries(names.map((name) => [name, value]));
    const { stdout } = await run('printf "%s\\n" "$own" "$pid" "$request"; ls', { env });
    expect(stdout.text).toBe(`${value}\n`.repeat(3));
    expect((await run("ls")).stdout.text).toBe("");
  });

  it("runs a line of 200 kB, with characters of several bytes and quotes in it", async () => {
    const text = "äö🎉x'".repeat(25_000).replaceAll("'", "y");
    const line = `printf '%s' '${text}' | wc -c; echo "$#" "$0"`;
    expect(line.length).toBeGreaterThan(140_000);
    const { stdout, exitCode } = await run(line);
    expect(stdout.text).toBe(`${Buffer.byteLength(text)}\n0 tenon\n`);
    expect(exitCode).toBe(0);
  });

  it.each([
    ["a NUL", "echo a\0b", /NUL/],
    ["more than can be run", `: ${"x".repeat(500_000)}`, /the limit is 400000/],
  ])("is refused with %s in it", async (_name, command, message) => {
    await expect(run(command)).rejects.toThrow(message);
  });

  it("says that the folder is missing, and does not blame the program", async () => {
    await expect(run("ls", { cwd: "missing" })).rejects.toThrow(/folder ".*missing" .*not found/);
  });

  it("gives what is no UTF-8 as replacement characters, and whole characters whatever the pieces", async () => {
    const { stdout } = await run(
      String.raw`printf 'a\xff\xfeb\n'; printf '\xc3'; sleep 0.2; printf '\xa9\n'`,
    );
    expect(stdout.text).toBe("a\uFFFD\uFFFDb\né\n");
  });

  it("strips escape sequences, settles overwritten lines and shows what is invisible", async () => {
    const { stdout } = await run(
      String.raw`printf '\033[31mred\033[0m \033]0;title\007ok\n10%%\r100%%\n\xe2\x80\xaehidden\n'`,
    );
    expect(stdout.text).toBe("red ok\n100%\n\\u{202e}hidden\n");
  });

  it("keeps the head and the tail of a large output, counts the rest and keeps the whole", async () => {
    const { stdout, handle } = await run("seq 1 200000");
    expect(stdout.truncated).toBe(true);
    expect(stdout.bytes).toBe(1_288_895);
    expect(stdout.text).toMatch(/^1\n2\n3\n/);
    expect(stdout.text).toMatch(/\n199999\n200000\n$/);
    expect(stdout.text).toMatch(/\[… \d+ bytes left out …\]\n/);
    expect(stdout.text.length).toBeLessThan(70_000);
    const outputs = fixture.store.forSession("s1");
    const page = await outputs.page(handle ?? "", { startLine: 100_000, endLine: 100_001 });
    expect(page).toMatchObject({ text: "100000\n100001", totalLines: 200_000, more: true });
  });

  it("runs many at once", async () => {
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, at) => run(`echo ${at}; sleep 0.05; echo ${at} >&2; exit ${at}`)),
    );
    expect(results.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 60 }, (_, at) => at));
    expect(results.map(({ stdout }) => stdout.text)).toEqual(
      Array.from({ length: 60 }, (_, at) => `${at}\n`),
    );
  });

  it("streams what comes in frames, first at once and then not too many", async () => {
    const frames: string[] = [];
    await run("echo first; sleep 0.3; seq 1 300000", {
      onOutput: (stream, text) => frames.push(`${stream}:${text}`),
    });
    expect(frames[0]).toBe("stdout:first\n");
    expect(frames.length).toBeGreaterThan(1);
    expect(frames.length).toBeLessThan(40);
    expect(frames.every((frame) => frame.length < 9000)).toBe(true);
    expect(frames.at(-1)).toMatch(/300000\n$/);
  });
});

describe("a command that does not end well", () => {
  it("that writes for ever is stopped at its time limit, and its partial output is given", async () => {
    const result = await run("yes", { timeoutMs: 500 });
    expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGTERM" });
    expect(result.stdout.text).toMatch(/^y\ny\n/);
    expect(result.durationMs).toBeLessThan(underLoad(2500));
  });

  it("that ignores SIGTERM is killed after the grace", async () => {
    const result = await run("trap '' TERM; echo ready; while :; do sleep 0.1; done", { timeoutMs: 300 });
    expect(result).toMatchObject({ timedOut: true, signal: "SIGKILL", stdout: { text: "ready\n" } });
    expect(result.durationMs).toBeGreaterThan(1500);
    expect(result.durationMs).toBeLessThan(underLoad(5000));
  });

  it("can clean up when it is asked to end", async () => {
    const result = await run("trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.05; done", {
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ timedOut: true, stdout: { text: "cleaned\n" } });
  });

  it("answers on its exit though a grandchild in another session holds the pipe, and leaves nothing", async () => {
    const result = await run("setsid sleep 1000 & echo done");
    expect(result).toMatchObject({ exitCode: 0, stdout: { text: "done\n" }, leftBehind: true });
    expect(result.durationMs).toBeLessThan(underLoad(1500));
  });

  it("that leaves a silent process in its group behind is told so", async () => {
    const result = await run("sleep 1000 >/dev/null 2>&1 & echo done");
    expect(result).toMatchObject({ stdout: { text: "done\n" }, leftBehind: true });
  });

  it("that leaves a silent process in another session behind loses it all the same", async () => {
    const { stdout } = await run("setsid sh -c 'setsid sleep 1000 >/dev/null 2>&1 </dev/null &' ; echo done");
    expect(stdout.text).toBe("done\n"); // and what is left is looked for after each test
  });

  it("shows what a short-lived process in the background still writes", async () => {
    const { stdout } = await run("(while kill -0 $$ 2>/dev/null; do :; done; echo late) & echo early");
    expect(stdout.text).toBe("early\nlate\n");
  });

  it("leaves nothing running when it is cancelled, whatever it started", async () => {
    const controller = new AbortController();
    const reason = new Error("not wanted");
    const running = fixture.forCall(controller.signal).run({
      command:
        "setsid sleep 1000 & (trap '' TERM; sleep 1000) & nohup sleep 1000 >/dev/null 2>&1 & echo started; wait",
      readOnly: false,
      timeoutMs: 20_000,
      onOutput: () => controller.abort(reason),
    });
    await expect(running).rejects.toBe(reason);
    expect(await fixture.survivors()).toEqual([]);
  });

  it("is not started where it was cancelled before, and stopped where it was cancelled meanwhile", async () => {
    const early = new AbortController();
    early.abort(new Error("early"));
    await expect(
      fixture.forCall(early.signal).run({ command: "sleep 1000", readOnly: false, timeoutMs: 20_000 }),
    ).rejects.toThrow("early");
    const soon = new AbortController();
    const running = fixture
      .forCall(soon.signal)
      .run({ command: "sleep 1000", readOnly: false, timeoutMs: 20_000 });
    soon.abort(new Error("soon"));
    await expect(running).rejects.toThrow("soon");
    expect(await fixture.survivors()).toEqual([]);
  });

  it("that closes its own output is waited for", async () => {
    const result = await run("exec >&- 2>&-; sleep 0.3; exit 7");
    expect(result).toMatchObject({ exitCode: 7 });
    expect(result.durationMs).toBeGreaterThan(250);
  });

  it("that kills itself, its group or the process that waits for it does not hang", async () => {
    expect(await run("kill -9 $$")).toMatchObject({ exitCode: 137 });
    expect(await run("kill -9 0; sleep 5")).toMatchObject({ exitCode: 137 });
    expect(await run("kill -9 $PPID; echo x")).toMatchObject({ exitCode: null, stdout: { text: "x\n" } });
    expect(await run("echo fine")).toMatchObject({ exitCode: 0 });
  });

  it("that is not there ends as a shell ends it", async () => {
    const result = await run("no-such-program-at-all");
    expect(result.exitCode).toBe(127);
    expect(result.stderr.text).toContain("not found");
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40])(
    "takes a time limit of %d for a long one",
    async (timeoutMs) => {
      expect(await run("sleep 0.1; echo ok", { timeoutMs })).toMatchObject({
        timedOut: false,
        stdout: { text: "ok\n" },
      });
    },
  );
});
