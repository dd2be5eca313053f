import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "./analyse-command.js";
import type { AnalyseOptions } from "./command-analysis.js";
import { destructiveLines } from "./destructive-lines.fixture.js";
import { disguisedLines } from "./disguised-lines.fixture.js";
import { everydayLines } from "./everyday-lines.fixture.js";
import { harmlessLines } from "./harmless-lines.fixture.js";
import { shellLine } from "./random-lines.fixture.js";
import { readingLines } from "./reading-lines.fixture.js";
import { evasiveInput } from "./evasive-input.fixture.js";
import { evasiveLines } from "./evasive-lines.fixture.js";
import { evasiveOptions } from "./evasive-options.fixture.js";
import { randomCases } from "../../test/setup/random-cases.js";
import { underLoad } from "../../test/setup/under-load.js";
import { anyCharacter } from "../../test/setup/any-character.js";

const deniedLines = [...destructiveLines, ...disguisedLines];
const askedLines = [...everydayLines, ...harmlessLines];
const evasive = [...evasiveOptions, ...evasiveLines, ...evasiveInput];

const place: AnalyseOptions = { workspace: "/work/proj", home: "/home/user" };
const analyse = (line: string, options: Partial<AnalyseOptions> = {}) =>
  analyseCommand(line, { ...place, ...options });
const verdict = (line: string, options: Partial<AnalyseOptions> = {}): string => {
  const { denied, readOnly } = analyse(line, options);
  if (denied !== undefined) return "deny";
  return readOnly ? "allow" : "ask";
};
const wordsOf = (line: string, options: Partial<AnalyseOptions> = {}): string[] =>
  analyse(line, options).commands.map(({ words }) => words.join(" "));

describe("the verdict on a line", () => {
  it.each(deniedLines)("denies %j", (line) => {
    expect(verdict(line)).toBe("deny");
  });

  it.each(readingLines)("lets %j read", (line) => {
    expect(verdict(line)).toBe("allow");
  });

  it.each(askedLines)("asks about %j", (line) => {
    expect(verdict(line)).toBe("ask");
  });

  it.each(evasive)("never lets %j run unasked", (line) => {
    expect(verdict(line)).not.toBe("allow");
  });
});

describe("wrapping a line", () => {
  const wrappers: readonly (readonly [string, (line: string) => string])[] = [
    ["a subshell", (line) => `(${line}\n)`],
    ["a group", (line) => `{ ${line}\n}`],
    ["a condition", (line) => `if true\nthen ${line}\nfi`],
    ["a loop", (line) => `for i in 1 2; do ${line}\ndone`],
    ["a function", (line) => `f() { ${line}\n}; f`],
    ["the second of a list", (line) => `true && ${line}`],
    ["a background job", (line) => `${line} &`],
    ["a substitution", (line) => `echo "$(${line}\n)"`],
    ["eval", (line) => `eval '${line.replaceAll("'", String.raw`'\''`)}'`],
    ["a shell", (line) => `bash -c '${line.replaceAll("'", String.raw`'\''`)}'`],
    ["a shell with options", (line) => `bash -euo pipefail -c '${line.replaceAll("'", String.raw`'\''`)}'`],
    ["a pipe into a shell", (line) => `printf '%s' '${line.replaceAll("'", String.raw`'\''`)}' | sh`],
    ["a here-document", (line) => `bash <<'END'\n${line}\nEND\n`],
    ["env and a shell", (line) => `env A=1 nice sh -c '${line.replaceAll("'", String.raw`'\''`)}'`],
    ["a second line", (line) => `ls\n${line}`],
  ];

  it.each(wrappers)("in %s hides nothing", (_, wrap) => {
    const simple = deniedLines.filter((line) => !line.includes("\n") && !/[(){}&]|\bexec\b|EOF/.test(line));
    const missed = simple.filter((line) => verdict(wrap(line)) !== "deny");
    expect(missed).toEqual([]);
  });

  it.each(wrappers)("in %s makes nothing of everyday work denied", (_, wrap) => {
    const wrong = [...readingLines, ...askedLines].filter(
      (line) => !line.includes("\n") && verdict(wrap(line)) === "deny",
    );
    expect(wrong).toEqual([]);
  });

  it.each(wrappers)("in %s makes nothing harmless", (_, wrap) => {
    const wrong = evasive.filter((line) => verdict(wrap(line)) === "allow");
    expect(wrong).toEqual([]);
  });
});

describe("the commands of a line", () => {
  it.each([
    ["a | b && c; d & e", ["a", "b", "c", "d", "e"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["for i in 1; do a $i; done", ["a 1"]],
    ["case x in a) b;; *) c;; esac", ["b", "c"]],
    ['a $(b) `c` <(d) "$(e)"', ["b", "c", "d", "e", "a $(b) `c` <(d) $(e)"]],
    ["X=$(a) b", ["a", "b"]],
    ["a <<E\n$(b)\nE", ["b", "a"]],
    ["a <<'E'\n$(b)\nE", ["a"]],
    ["[[ -n $(a) ]] && b", ["a", "b"]],
    ["echo $((1 + $(a)))", ["a", "echo $((1 + $(a)))"]],
    ["timeout 5 nice -n 3 env X=1 a b", ["a b"]],
    ["sh -c 'a; b'", ["a", "b"]],
    ["bash -lc 'a'", ["a", "bash -lc a"]],
    ["echo 'a b' | sh", ["echo a b", "a b", "sh"]],
    ["sh <<< 'a'", ["a", "sh"]],
    ["eval a '; b'", ["a", "b"]],
    ["trap 'a' EXIT", ["a", "trap a EXIT"]],
    ["find . -exec a {} \\;", ["a {}", "find . -exec a {} ;"]],
    ["echo x y | xargs a", ["echo x y", "a x y"]],
    ["sudo -u root a b", ["sudo -u root a b", "a b"]],
    ["f() { a; }; f", ["a", "a", "f"]],
    ["git -c core.pager=a log", ["a", "git -c core.pager=a log"]],
    ["busybox a b", ["a b", "busybox a b"]],
    ["{a,b}c", ["ac bc"]],
    ["X='a b'; $X c", ["a b c"]],
    ["a{1..3}", ["a1 a2 a3"]],
    ["# nothing", []],
  ])("%j", (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  it("tells what is not known, and of which words", () => {
    const [command] = analyse('a "$X" b').commands;
    expect(command).toMatchObject({ words: ["a", "$X", "b"], known: false, unknownWords: [1] });
    expect(analyse("$X b").commands[0]).toMatchObject({ known: false, unknownWords: [0] });
    expect(analyse("a b").commands[0]).toMatchObject({ known: true, unknownWords: [], why: undefined });
  });

  it.each([
    ["PATH=.; ls", "PATH was changed"],
    ["alias ls=rm; ls", "alias"],
    ["hash -p ./x ls; ls", "places of programs"],
    ["enable -n ls; ls", "builtins"],
    [". ./x; ls", "sourced"],
    ["NODE_OPTIONS=x ls", "NODE_OPTIONS is set"],
    ["ls() { :; }; ls", "same name"],
    ["$X; ls", "only known when it runs"],
  ])("does not trust ls in %j", (line, why) => {
    const command = analyse(line).commands.findLast(({ words }) => words[0] === "ls");
    expect(command).toMatchObject({
      known: false,
      readOnly: false,
      why: expect.stringContaining(why) as string,
    });
  });

  it("trusts commands whose environment is changed by harmless variables only", () => {
    expect(analyse("CI=1 npm test").commands[0]).toMatchObject({
      known: true,
      assignments: [{ name: "CI", value: "1", known: true }],
    });
  });

  it("says where a command stands and what it was found in", () => {
    const { commands } = analyse("ls && timeout 5 sh -c 'a'");
    expect(commands[1]).toMatchObject({ via: ["timeout", "sh -c"], at: { start: 6, end: 25 } });
  });

  it("names the files of redirections and of commands that write", () => {
    expect(analyse("cd src; a < in > out 2>&1 2>/dev/null").writes).toEqual([
      "/work/proj/out",
      "/work/proj/src/out",
    ]);
    expect(analyse("a < in").reads).toEqual(["/work/proj/in"]);
    expect(analyse("cp a .git/hooks/").changes).toContain("/work/proj/.git/hooks/a");
    expect(analyse("tee -a x y").changes).toEqual(["/work/proj/x", "/work/proj/y"]);
    expect(analyse("cat a b").reads).toEqual(["/work/proj/a", "/work/proj/b"]);
    expect(analyse('a > "$X"').unknown).toEqual(["where it writes: $X"]);
  });
});

describe("where a line runs", () => {
  it("judges paths from the directory that is given", () => {
    expect(verdict("cat ../a", { cwd: "src" })).toBe("allow");
    expect(verdict("cat ../a")).toBe("ask");
    expect(verdict("ls", { cwd: "/etc" })).toBe("ask");
    expect(verdict("rm -rf *", { cwd: "/" })).toBe("deny");
  });

  it("knows the home directory by any of its names", () => {
    expect(verdict("rm -rf /srv/me", { home: "/srv/me" })).toBe("deny");
    expect(verdict("rm -rf ~", { home: "/srv/me" })).toBe("deny");
    expect(verdict("rm -rf /srv/me/x", { home: "/srv/me" })).toBe("ask");
  });

  it("denies deleting what the workspace lies in, but not the place for passing files", () => {
    expect(verdict("rm -rf /data", { workspace: "/data/a/b" })).toBe("deny");
    expect(verdict("rm -rf /tmp/*", { workspace: "/tmp/a" })).toBe("ask");
    expect(verdict("rm -rf ..", { workspace: "/tmp/a" })).toBe("deny");
  });

  it("never takes a line for another shell as known, and still denies", () => {
    expect(analyse("ls", { dialect: "other" })).toMatchObject({
      readOnly: false,
      unknown: [expect.stringContaining("bash and sh")],
    });
    expect(verdict("rm -rf /", { dialect: "other" })).toBe("deny");
  });

  it("trusts nothing where the environment was changed", () => {
    expect(verdict("ls", { env: ["LANG"] })).toBe("allow");
    for (const name of ["FOO", "API_BASE", "MY_PROJECT_NAME"]) {
      expect(verdict("ls", { env: [name] }), name).toBe("allow");
    }
    const obeyed =
      "PATH LD_PRELOAD GIT_DIR GCONV_PATH NODE_OPTIONS BAT_CONFIG_PATH AWKPATH RIPGREP_CONFIG_PATH MY_OPTS";
    for (const name of obeyed.split(" ")) {
      expect(verdict("ls", { env: [name] }), name).toBe("ask");
    }
    expect(analyse("npm test", { env: ["PATH"] }).commands[0]).toMatchObject({ known: false });
  });
});

describe("the files that a line changes", () => {
  it.each([
    ["rm keep/a", ["keep/a"]],
    ["rm -rf -- -x keep", ["-x", "keep"]],
    ["touch -d yesterday keep/a b", ["keep/a", "b"]],
    ["mkdir -p -m 700 keep/new", ["keep/new"]],
    ["mv keep/a elsewhere", ["keep/a", "elsewhere", "elsewhere/a"]],
    ["mv -t there keep/a keep/b", ["keep/a", "keep/b", "there", "there/a", "there/b"]],
    ["chmod 600 keep/a", ["keep/a"]],
    ["chmod -x keep/a", ["keep/a"]],
    ["chmod -R u+w keep", ["keep"]],
    ["chmod --reference=b keep/a", ["keep/a"]],
    ["chown me:us keep/a", ["keep/a"]],
    ["patch -p1 keep/a change.diff", ["keep/a"]],
    ["truncate -s 0 keep/a", ["keep/a"]],
    ["gawk -i inplace '{print}' keep/a", ["keep/a"]],
    ["gawk --include=inplace '{print}' keep/a", ["keep/a"]],
    ["awk '{print}' keep/a", []],
    ["cp -t keep a b", ["keep", "keep/a", "keep/b"]],
    ["cp -tkeep a", ["keep", "keep/a"]],
    ["install -m 755 -t keep a", ["keep", "keep/a"]],
    ["ln -s ../there/it", ["it"]],
    ["ln -s a keep/b", ["keep/b", "keep/b/a"]],
    ["gzip keep/a", ["keep/a"]],
    ["git rm keep/a", ["keep/a"]],
    ["git mv keep/a b", ["keep/a", "b"]],
    ["git checkout -- keep/a", ["keep/a"]],
    ["git checkout main", []],
  ])("are named for %j", (line, changes) => {
    const expected = changes.map((path) => `/work/proj/${path}`);
    expect(analyse(line).changes.toSorted()).toEqual(expected.toSorted());
  });
});

describe("services and screens", () => {
  it.each([
    "npm run dev",
    "npm start",
    "yarn dev",
    "pnpm run start:prod",
    "npx vite",
    "vite --port 3000",
    "uvicorn app:app",
    "gunicorn x",
    "flask run",
    "python -m http.server",
    "python3 manage.py runserver",
    "next dev",
    "npx webpack serve",
    "webpack-dev-server",
    "rails s",
    "docker compose up",
    "docker-compose up web",
    "tail -f log",
    "watch ls",
    "nodemon x",
    "cargo run",
    "tsc -w",
    "kubectl logs -f x",
    "cd app && npm run dev",
    "sh -c 'npm run dev'",
  ])("sees that %j never ends", (line) => {
    expect(analyse(line).service).toBeDefined();
  });

  it.each([
    "npm run build",
    "npm test",
    "npm run build:dev",
    "vite build",
    "next build",
    "docker compose up -d",
    "tail -n 5 x",
    "cargo build",
    "cargo run -- --help",
    "echo npm run dev",
    "grep vite x",
    "npm run dev &",
    "timeout 5 npm run dev",
    "uvicorn --help",
    "npm install vite",
  ])("sees that %j ends", (line) => {
    expect(analyse(line).service).toBeUndefined();
  });

  it.each([
    ["git log | less", "less"],
    ["vim a.txt", "vim"],
    ["vim x", "vim"],
    ["env vi q", "vi"],
    ["vim -c 'set nu' wq", "vim"],
    ["nice nvim +10 x", "nvim"],
    ["cd sub && nano a", "nano"],
    ["top", "top"],
    ["npm init", "npm init"],
    ["npm init --scope=x", "npm init --scope=x"],
    ["python3", "python3"],
    ["python -i a.py", "python -i a.py"],
    ["python3.12 manage.py shell", "python3.12 manage.py shell"],
    ["node", "node"],
    ["sqlite3 a.db", "sqlite3 a.db"],
    ["psql -d shop", "psql -d shop"],
    ["git add -p", "git add -p"],
    ["env A=1 htop", "htop"],
    ["sh -c 'irb'", "irb"],
    ["tmux new -s x", "tmux"],
  ])("names the program in %j that needs a person", (line, program) => {
    expect(analyse(line).interactive).toBe(program);
  });

  it.each([
    "top -b -n 1",
    "timeout 3 top",
    "vim -es -c '%s/a/b/' -c wq a.txt",
    "vim +wq a.txt",
    "vim -c '%s/a/b/ | x!' a.txt",
    "vim --version",
    "npm init -y",
    "npm init vite my-app",
    "yes '' | npm init",
    "npm init < answers",
    "python3 a.py",
    "python3 -c 'print(1)'",
    "python3 <<'EOF'\nprint(1)\nEOF",
    "echo 1 | node",
    "sqlite3 a.db 'select 1'",
    "sqlite3 a.db < dump.sql",
    "psql -c 'select 1'",
    "redis-cli ping",
    "tmux new -d -s x",
    "git add .",
    "echo vim",
  ])("sees that %j needs nobody", (line) => {
    expect(analyse(line).interactive).toBeUndefined();
  });

  it.each(["cd sub", "cd ..", "cd 'a b' # x", "cd $X", "cd a; cd b", "cd a && cd b", "{ cd a; }"])(
    "sees that %j only changes the folder",
    (line) => expect(analyse(line).isOnlyCd).toBe(true),
  );

  it.each(["cd a && ls", "cd a &", "cd a > log", "X=1 cd a", "ls", "", "echo cd a", "cd a | cat", "cd 'a"])(
    "sees that %j does more, or does not last",
    (line) => expect(analyse(line).isOnlyCd).toBe(false),
  );
});

describe("limits", () => {
  it("asks about a line that is too long, and still sees what is denied in it", () => {
    const long = "ls; ".repeat(5000);
    expect(verdict(long)).toBe("ask");
    expect(verdict(`${long} rm -rf /`)).toBe("deny");
    expect(verdict(`${"x".repeat(2_000_000)}; rm -rf /`)).toBe("deny");
  });

  it.each([
    ["substitutions", "echo ".concat("$(".repeat(40), "ls", ")".repeat(40)), "ask"],
    ["substitutions around what is denied", "$(".repeat(400).concat("rm -rf /", ")".repeat(400)), "deny"],
    ["groups around what is denied", "{ ".repeat(400).concat("reboot; ", "} ".repeat(400)), "deny"],
    ["conditions", "if ls; then ".repeat(50).concat("ls; ", "fi; ".repeat(50)), "ask"],
  ])("asks about %s that are nested too deep, or denies them", (_, line, expected) => {
    expect(verdict(line)).toBe(expected);
  });

  it("asks about NUL", () => {
    expect(verdict("ls \0 x")).toBe("ask");
  });

  it.each([
    "{",
    "$[",
    "<<A ",
    "$((",
    "((",
    "x[$(",
    "coproc ",
    "function f ",
    '"',
    "`",
    "ls|",
    "a=b;",
    "timeout 1 ",
    "{a,b}",
    "1+",
  ])("takes a line of nothing but %j in its stride", (part) => {
    const started = performance.now();
    analyse(part.repeat(Math.ceil(50_000 / part.length)));
    expect(performance.now() - started).toBeLessThan(underLoad(20_000));
  });

  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter, maxLength: 200 }), soup), (line) => {
        const { commands, readOnly, unknown, denied } = analyse(line);
        if (readOnly)
          expect([unknown, denied, commands.filter((command) => !command.readOnly)]).toEqual([
            [],
            undefined,
            [],
          ]);
      }),
      { numRuns: randomCases(2000) },
    );
  });

  it("gives the same answer twice", () => {
    fc.assert(
      fc.property(shellLine, (line) => {
        expect(analyse(line)).toEqual(analyse(line));
      }),
      { numRuns: 100 },
    );
  });
});

/** What shells are made of, in no order. */
const soup = fc
  .array(
    fc.constantFrom(
      ..."rm -rf / $ ( ) { } [ ] ; & | < > ' \" ` \\ \n # ! * ? ~ = $( ${ $(( <( << <<< && || if then fi for do done case esac in eval sh -c ls X a".split(
        " ",
      ),
      " ",
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));
