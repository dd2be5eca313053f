import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Tenon, TenonConfig } from "../src/index.js";
import { createFixture, open } from "./spine-fixture.js";

/*
 * One rule, one wall: the same rows through every channel. Each channel tries to read and to append to each path,
 * and must come to the verdict that the row demands, whatever the rule was written as.
 */

interface Row {
  readonly path: string;
  readonly read: boolean;
  readonly write: boolean;
}

interface Table {
  readonly name: string;
  readonly config: TenonConfig;
  readonly rows: readonly Row[];
}

const row = (path: string, access: "" | "r" | "rw"): Row => ({
  path,
  read: access !== "",
  write: access === "rw",
});

const deny = (path: string | string[], more: object = {}): TenonConfig => ({
  policy: { rules: [{ decision: "deny", path, ...more }] },
});

const tables: readonly Table[] = [
  {
    name: "a forbidden folder, far down",
    config: { files: { forbiddenPaths: ["config/secrets/**"] } },
    rows: [
      row("config/secrets/key", ""),
      row("config/secrets/deep/er/key", ""),
      row("config/open", "rw"),
      row("secrets/key", "rw"),
    ],
  },
  {
    name: "a forbidden name at any depth",
    config: { files: { forbiddenPaths: ["**/*.pem", "private"] } },
    rows: [
      row("a.pem", ""),
      row("a/b/c/d/e/f.pem", ""),
      row("x/private/y", ""),
      row("node_modules/p/k.pem", ""),
      row("a/b/c/d/e/g", "rw"),
    ],
  },
  {
    name: "a rule that denies a path",
    config: deny("secrets/**"),
    rows: [
      row("secrets/key", ""),
      row("secrets/a/b", ""),
      row("other/secrets/key", "rw"),
      row("src/secrets.ts", "rw"),
    ],
  },
  {
    name: "a rule that denies changes",
    config: deny(["keep/**", "**/*.lock"], { access: "write" }),
    rows: [row("keep/a", "r"), row("keep/b/c", "r"), row("x/y/z.lock", "r"), row("x/y/z", "rw")],
  },
  {
    name: "a rule for the command tool and one for another tool",
    config: {
      policy: {
        rules: [
          { decision: "deny", path: "both/**", tool: ["shell_*", "code_*", "read_file", "write_file"] },
          { decision: "deny", path: "never/**", tool: "no_such_tool" },
        ],
      },
    },
    rows: [row("both/a", ""), row("never/a", "rw")],
  },
  {
    name: "exceptions and overlapping rules",
    config: {
      policy: {
        rules: [
          { decision: "allow", path: "data/open/**", access: "read" },
          { decision: "deny", path: ["data/**", "!data/public/**"] },
          { decision: "deny", path: "docs/*", access: "write" },
        ],
      },
    },
    rows: [
      row("data/a", ""),
      row("data/sub/a", ""),
      row("data/public/a", "rw"),
      row("data/public/sub/a", "rw"),
      row("data/open/x", "r"),
      row("docs/a", "r"),
      row("docs/sub/a", "rw"),
    ],
  },
  {
    name: "exceptions further down than what is denied around them",
    config: {
      policy: {
        rules: [
          { decision: "deny", path: ["data/**", "!data/sub/deep/open/**"] },
          { decision: "deny", path: ["docs/**", "!docs/sub/deep/open/**"], access: "write" },
          { decision: "deny", path: ["notes/", "!notes/*"], access: "write" },
        ],
      },
    },
    rows: [
      row("data/sub/a", ""),
      row("data/sub/deep/a", ""),
      row("data/sub/deep/open/a", "rw"),
      row("docs/sub/a", "r"),
      row("docs/sub/deep/a", "r"),
      row("docs/sub/deep/open/a", "rw"),
      row("notes/a", "rw"),
      row("notes/sub/a", "r"),
      row("notes/sub/deep/a", "r"),
    ],
  },
  {
    name: "what is protected, at any depth",
    config: {},
    rows: [row(".vscode/tasks.json", "r"), row("app/deep/.vscode/tasks.json", "r"), row("app/deep/x", "rw")],
  },
];

/** Tries every path and prints one line for each: what it read, and whether it could append. */
const scripts = {
  python3: (paths: readonly string[]) => `python3 - <<'E'
for p in ${JSON.stringify(paths)}:
    r = w = "-"
    try: r = "r" if "CONTENT" in open(p).read() else "-"
    except OSError: pass
    try:
        open(p, "r+").close()
        w = "w"
    except OSError: pass
    print("ROW", p, r + w)
E`,
  perl: (paths: readonly string[]) => `perl - <<'E'
for my $p (${paths.map((path) => `'${path}'`).join(", ")}) {
  my ($r, $w) = ("-", "-");
  if (open(my $f, "<", $p)) { local $/; my $t = <$f>; $r = "r" if defined $t && $t =~ /CONTENT/; }
  $w = "w" if open(my $f, "+<", $p);
  print "ROW $p $r$w\\n";
}
E`,
  sh: (paths: readonly string[]) =>
    `for p in ${paths.join(" ")}; do r=-; w=-; grep -q CONTENT "$p" && r=r; (: >> "$p") && w=w; echo "ROW $p $r$w"; done 2>/dev/null`,
};

type Verdicts = Record<string, string>;

function parse(text: string): Verdicts {
  return Object.fromEntries(
    [...text.matchAll(/ROW (\S+) (\S+)/g)].map(([, path, verdict]) => [path, verdict]),
  );
}

async function call(tenon: Tenon, name: string, args: Record<string, unknown>) {
  return tenon.call({ name, arguments: args });
}

async function shell(tenon: Tenon, command: string, extra: Record<string, unknown> = {}) {
  const { result, error } = await call(tenon, "shell_exec", { command, ...extra });
  if (error !== undefined) throw error as unknown as Error;
  return result as { stdout: string; notes: string[]; exitCode: number; jobId?: string };
}

async function job(tenon: Tenon, command: string): Promise<string> {
  const session = tenon.createSession();
  const started = await session.call({ name: "shell_exec", arguments: { command, background: true } });
  const { jobId } = started.result as { jobId: string };
  let text = "";
  await expect
    .poll(
      async () => {
        const { result } = await session.call({ name: "shell_output", arguments: { job_id: jobId } });
        const { stdout, state } = result as { stdout: string; state: string };
        text += stdout;
        return state;
      },
      { timeout: 20_000, interval: 50 },
    )
    .toMatch(/exited/);
  return text;
}

/** The files tools themselves. */
async function byTools(tenon: Tenon, paths: readonly string[]): Promise<Verdicts> {
  const verdicts: Verdicts = {};
  const session = tenon.createSession();
  for (const path of paths) {
    const read = await session.call({ name: "read_file", arguments: { path } });
    const write = await session.call({ name: "write_file", arguments: { path, content: "CONTENT\n" } });
    verdicts[path] = `${read.success ? "r" : "-"}${write.success ? "w" : "-"}`;
  }
  return verdicts;
}

function fill(workspace: string, rows: readonly Row[]): void {
  for (const { path } of rows) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), "CONTENT\n");
  }
}

describe.each(tables)("$name", ({ config, rows }) => {
  const paths = rows.map(({ path }) => path);
  const wanted = Object.fromEntries(
    rows.map(({ path, read, write }) => [path, `${read ? "r" : "-"}${write ? "w" : "-"}`]),
  );
  const prepared = () => {
    const fixture = createFixture();
    fill(fixture.workspace, rows);
    // In a file, so that the grammar cannot see what it does.
    writeFileSync(join(fixture.workspace, "try.sh"), scripts.sh(paths));
    return { ...fixture, tenon: open({ config: { mode: "auto", ...config } }, fixture) };
  };

  it(
    "means the same to file tools, python, perl, a shell, a job and a terminal",
    { timeout: 60_000 },
    async () => {
      const { tenon } = prepared();
      const channels = {
        tools: await byTools(tenon, paths),
        python3: parse((await shell(tenon, scripts.python3(paths))).stdout),
        perl: parse((await shell(tenon, scripts.perl(paths))).stdout),
        sh: parse((await shell(tenon, "sh try.sh")).stdout),
        job: parse(await job(tenon, scripts.python3(paths))),
        terminal: parse((await shell(tenon, scripts.perl(paths), { pty: true })).stdout),
      };
      expect(channels).toEqual(Object.fromEntries(Object.keys(channels).map((channel) => [channel, wanted])));
    },
  );

  it("holds in searches and walks that run unasked", async () => {
    const { workspace, stateDir } = prepared();
    const tenon = open({ config: { mode: "ask", ...config } }, { workspace, stateDir });
    const readable = rows.filter(({ read }) => read).map(({ path }) => path);
    const { stdout } = await shell(tenon, "grep -rl CONTENT .");
    expect(
      stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => line.replace(/^\.\//, ""))
        .toSorted(),
    ).toEqual([...readable, "try.sh"].toSorted());
    const found = await call(tenon, "code_query", { query: "CONTENT", type: "text" });
    expect(found).toSucceed();
    for (const { path, read } of rows) if (!read) expect(JSON.stringify(found)).not.toContain(`"${path}"`);
  });

  it("holds whatever is done to the folders on the way", async () => {
    const { tenon, workspace } = prepared();
    const guarded = rows.filter(({ write }) => !write);
    const tops = [...new Set(guarded.map(({ path }) => path.split("/")[0]!))];
    const moves = tops.flatMap((top) => [
      `mv ${top} moved-${top}`,
      `cp -a ${top} copy-${top} && mv -T copy-${top} ${top}`,
    ]);
    writeFileSync(join(workspace, "move.sh"), `${moves.join("; ")}; rm -rf ${tops.join(" ")}`);
    await shell(tenon, "sh move.sh");
    const { stdout } = await shell(tenon, "grep -rl CONTENT . ; true");
    const hidden = guarded.filter(({ read }) => !read);
    for (const { path } of hidden) {
      const name = path.slice(path.indexOf("/") + 1);
      expect(stdout).not.toMatch(new RegExp(`moved-[^\n]*${name}$`, "m"));
    }
    for (const { path } of guarded) expect(readFileSync(join(workspace, path), "utf8")).toBe("CONTENT\n");
  });
});

describe("a folder that holds what a rule is about", () => {
  const files = ["config/secrets/key", "data/a/key.txt", "deep/x/y.pem", "app/.vscode/tasks.json", "kept/a"];
  const config: TenonConfig = {
    mode: "auto",
    files: { forbiddenPaths: ["config/secrets/**", "data/*/key.txt", "**/*.pem"] },
    policy: { rules: [{ decision: "deny", path: "kept/*", access: "write" }] },
  };

  it.each(files)("is neither moved nor deleted by a tool: %s", async (file) => {
    const fixture = createFixture();
    fill(
      fixture.workspace,
      files.map((path) => row(path, "")),
    );
    const tenon = open({ config }, fixture);
    const [top = ""] = file.split("/");
    expect(await call(tenon, "move_file", { from: top, to: "moved" })).not.toSucceed();
    expect(await call(tenon, "delete_file", { path: top, recursive: true })).not.toSucceed();
    expect(readFileSync(join(fixture.workspace, file), "utf8")).toBe("CONTENT\n");
  });

  it("is told from one that holds nothing of the kind", async () => {
    const fixture = createFixture();
    fill(fixture.workspace, [row("free/a/b", "rw"), row("other/x", "rw")]);
    const tenon = open({ config }, fixture);
    expect(await call(tenon, "move_file", { from: "free", to: "moved" })).toSucceed();
    expect(await call(tenon, "delete_file", { path: "other", recursive: true })).toSucceed();
  });
});
