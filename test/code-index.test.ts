import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CodeFixture, openCodeFixture } from "./code-fixture.js";

let fixture: CodeFixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

async function openIndexed(files: Record<string, string>): Promise<CodeFixture> {
  fixture = openCodeFixture(files);
  await fixture.indexed();
  return fixture;
}

/** Another process, that has ended before this returns. */
function sh(script: string, cwd: string): void {
  execFileSync("sh", ["-c", script], { cwd });
}

function indexFile({ root }: CodeFixture): string {
  const [key = ""] = readdirSync(join(root, "state"));
  return join(root, "state", key, "code-index.bin");
}

describe("the index follows the disk", () => {
  it("sees every change that another process has made before the query", async () => {
    const { workspace, places } = await openIndexed({
      "src/a.ts": "export function first0() {}\n",
      "src/b.ts": "",
    });
    for (let turn = 1; turn <= 40; turn += 1) {
      // Same length, so that only the times tell.
      sh(`printf 'export function first${turn % 10}() {}\\n' > src/a.ts`, workspace);
      expect(await places(`first${turn % 10}`, { type: "function" })).toContain("src/a.ts:1 function");
      expect(await places(`first${(turn + 9) % 10}`, { type: "function" })).toEqual([]);
    }
  });

  it("sees files and directories that come, go and change places", async () => {
    const { workspace, places } = await openIndexed({
      "one/x.ts": "export class Moved {}\n",
      "two/y.ts": "class Other {}\n",
    });
    const where = (): Promise<string[]> => places("Moved", { type: "class" });
    sh("mkdir -p deep/er && printf 'class Fresh {}' > deep/er/n.ts", workspace);
    expect(await places("Fresh", { type: "class" })).toEqual(["deep/er/n.ts:1 class"]);
    sh("mv one three", workspace);
    expect(await where()).toEqual(["three/x.ts:1 class"]);
    sh("mv two one && mv three two", workspace);
    expect(await where()).toEqual(["two/x.ts:1 class"]);
    expect(await places("Other", { type: "class" })).toEqual(["one/y.ts:1 class"]);
    sh("printf 'class Later {}' > two/x.ts", workspace);
    expect(await places("Later", { type: "class" })).toEqual(["two/x.ts:1 class"]);
    sh("rm -r two", workspace);
    expect(await places("Later", { type: "class" })).toEqual([]);
    expect(await places("x.ts", { type: "file" })).toEqual([]);
  });

  it("applies ignore rules again when they change", async () => {
    const { workspace, places } = await openIndexed({
      "out/x.ts": "class Built {}\n",
      "src/y.ts": "class Own {}\n",
    });
    expect(await places("Built", { type: "class" })).toEqual(["out/x.ts:1 class"]);
    sh("echo out > .gitignore", workspace);
    expect(await places("Built", { type: "class" })).toEqual([]);
    sh("rm .gitignore", workspace);
    expect(await places("Built", { type: "class" })).toEqual(["out/x.ts:1 class"]);
  });

  it("answers rightly while another process goes on writing", async () => {
    const { workspace, query } = await openIndexed({ "a.ts": "export function steady() {}\n" });
    const whole = "export function steady() {}";
    const script =
      "for (let n = 0; ; n++) require('fs').writeFileSync('a.ts', '//' + 'x'.repeat(n % 50) + '\\n'.repeat(1 + (n % 7)) + 'export function steady() {}\\n')";
    const writer = spawn(process.execPath, ["-e", script], { cwd: workspace });
    try {
      for (let turn = 0; turn < 30; turn += 1) {
        const { matches } = await query("steady", { type: "function" });
        expect(matches.filter(({ kind }) => kind === "function").every(({ code }) => code === whole)).toBe(
          true,
        );
      }
    } finally {
      writer.kill("SIGKILL");
      await once(writer, "exit");
    }
  });

  it("sees ten thousand changes at once", async () => {
    const { workspace, places } = await openIndexed({ "a.ts": "class Before {}\n" });
    sh(
      "mkdir many && cd many && seq 12000 | xargs touch && echo 'class After {}' > last.ts && cd .. && mkdir more && echo 'class Last {}' > more/x.ts",
      workspace,
    );
    expect(await places("After", { type: "class" })).toEqual(["many/last.ts:1 class"]);
    expect(await places("Last", { type: "class" })).toEqual(["more/x.ts:1 class"]);
  });
});

describe("the index between processes", () => {
  it("is kept, and what changed meanwhile is read again", async () => {
    const fixture = await openIndexed({ "a.ts": "class Alpha {}\n", "b.ts": "class Beta {}\n" });
    await fixture.reopen();
    expect(statSync(indexFile(fixture)).size).toBeGreaterThan(100);
    // The same size, and the old time put back: only the time of change tells.
    const { mtime } = statSync(fixture.path("b.ts"));
    writeFileSync(fixture.path("b.ts"), "class Gamm {}\n\n".slice(0, 14));
    utimesSync(fixture.path("b.ts"), mtime, mtime);
    await fixture.indexed();
    expect(await fixture.places("Alpha", { type: "class" })).toEqual(["a.ts:1 class"]);
    expect(await fixture.places("Gamm", { type: "class" })).toEqual(["b.ts:1 class"]);
    expect(await fixture.places("Beta", { type: "class" })).toEqual([]);
  });

  const damages: Record<string, (bytes: Buffer) => Buffer> = {
    "cut short": (bytes) => bytes.subarray(0, bytes.length >> 1),
    empty: () => Buffer.alloc(0),
    "of something else": () => Buffer.from("hello".repeat(100)),
    "with one bit changed": (bytes) => {
      bytes[bytes.length - 20]! ^= 1;
      return bytes;
    },
    "of an older version": (bytes) =>
      Buffer.from(bytes.toString("latin1").replace('"layout":1', '"layout":0'), "latin1"),
  };
  it.each(Object.keys(damages))("is made again where its file is %s", async (damage) => {
    const fixture = await openIndexed({ "a.ts": "class Alpha {}\n" });
    await fixture.tenon.close();
    const file = indexFile(fixture);
    writeFileSync(file, damages[damage]!(readFileSync(file)));
    await fixture.reopen();
    await fixture.indexed();
    expect(await fixture.places("Alpha", { type: "class" })).toEqual(["a.ts:1 class"]);
    await fixture.reopen();
    expect(readFileSync(file).subarray(0, 8).toString()).toBe("TENONIDX");
  });

  it("belongs to its workspace only", async () => {
    const one = await openIndexed({ "a.ts": "class Alpha {}\n" });
    await one.tenon.close();
    const bytes = readFileSync(indexFile(one));
    const other = openCodeFixture({ "b.ts": "class Beta {}\n" });
    try {
      await other.indexed();
      await other.tenon.close();
      writeFileSync(indexFile(other), bytes);
      await other.reopen();
      await other.indexed();
      expect(await other.places("Alpha", { type: "class" })).toEqual([]);
      expect(await other.places("Beta", { type: "class" })).toEqual(["b.ts:1 class"]);
    } finally {
      await other.close();
    }
  });

  it("says that it is being built, and answers rightly meanwhile", async () => {
    fixture = openCodeFixture({ "a.ts": "class Alpha {}\n" });
    const { matches, index, notes } = await fixture.query("Alpha", { type: "class" });
    expect(matches).toHaveLength(1);
    expect(index.state).toBe("building");
    expect(notes?.join()).toContain("being built");
  });

  it("is not needed where the state directory cannot be written", async () => {
    fixture = openCodeFixture({ "a.ts": "class Alpha {}\n" }, { config: { stateDir: "/proc/nowhere" } });
    expect(await fixture.places("Alpha", { type: "class" })).toEqual(["a.ts:1 class"]);
  });
});

describe("what was shown counts as read", () => {
  it("lets an edit of a shown line pass, and of another not", async () => {
    fixture = openCodeFixture({ "a.ts": "let x = 1;\nfunction here() {}\nlet y = 2;\n" }, { index: false });
    await fixture.ok("code_query", { query: "here", type: "function" });
    const refused = await fixture.refused("edit_file", {
      path: "a.ts",
      old_str: "let y = 2;",
      new_str: "let y = 3;",
    });
    expect(refused.message).toContain("read");
    await fixture.ok("edit_file", {
      path: "a.ts",
      old_str: "function here() {}",
      new_str: "function there() {}",
    });
    expect(await fixture.places("there", { type: "function" })).toEqual(["a.ts:2 function"]);
    renameSync(fixture.path("a.ts"), fixture.path("b.ts"));
    rmSync(fixture.path("b.ts"));
    expect(await fixture.places("there", { type: "function" })).toEqual([]);
  });
});
