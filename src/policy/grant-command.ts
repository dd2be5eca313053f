import type { PolicyCommand } from "./policy-call.js";
import { joinWords } from "./split-words.js";

/**
 * The widest `command` pattern that one consent should grant: a command with known subcommands up to
 * its subcommand (`npm run test *`), any other exactly as it stands. `undefined` for an interpreter or
 * a starter of other programs, and where the words are not known: consent to one use says nothing of the next.
 */
export function grantCommand({ words, known }: PolicyCommand): string | undefined {
  const [program] = words;
  if (!known || program === undefined || words.includes("*")) return undefined;
  if (isStarter(words)) return undefined;
  const arity = arityOf(words);
  const head = words.slice(0, arity);
  const plain = arity !== undefined && head.length === arity && head.every((word) => /^[\w@./:+-]+$/.test(word));
  if (!plain || head.some((word) => word.startsWith("-"))) return joinWords(words);
  return `${joinWords(head)} *`;
}

/** Programs that run whatever they are given. */
const STARTERS = new Set(
  (
    "sh bash zsh dash ash ksh mksh fish csh tcsh pwsh powershell cmd busybox toybox eval exec source . command builtin " +
    "env sudo doas su runuser pkexec xargs parallel find fd nohup setsid timeout nice ionice chrt taskset stdbuf time watch " +
    "strace ltrace gdb lldb script expect unshare nsenter chroot flatpak ssh mosh rsh scp rsync socat nc ncat telnet " +
    "deno bun tsx ts-node npx bunx pnpx uvx pipx awk gawk mawk nawk sed ed ex vi vim nvim emacs nano less more man " +
    "osascript Rscript R julia java jshell kotlin scala groovy elixir erl ghci runghc tclsh wish sqlite3 psql mysql " +
    "at batch crontab systemd-run screen tmux make gmake just ninja"
  ).split(" "),
);

const NUMBERED = /^(?:python|pypy|perl|ruby|node|nodejs|lua|luajit|php|guile|racket)[\d.]*w?$/;

/** Subcommands that run whatever they are given. */
const STARTING = new Set(
  (
    "npm:exec npm:x npm:explore npm:config npm:set yarn:dlx yarn:exec yarn:node yarn:config pnpm:dlx pnpm:exec pnpm:config " +
    "docker:run docker:exec docker:compose podman:run podman:exec kubectl:exec kubectl:run kubectl:debug " +
    "uv:run uv:tool poetry:run pdm:run rye:run hatch:run pipenv:run conda:run bundle:exec go:run go:generate go:tool " +
    "cargo:run cargo:script dotnet:run dotnet:script dotnet:fsi git:config git:bisect git:submodule git:filter-branch " +
    "git:rebase git:difftool git:mergetool git:daemon gh:alias gh:extension gh:api nix:run nix:shell nix:develop"
  ).split(" "),
);

function isStarter(words: readonly string[]): boolean {
  const name = programName(words[0] ?? "");
  if (STARTERS.has(name) || NUMBERED.test(name)) return true;
  // An option before the subcommand may be anything, `git -c alias.x=!sh` for one.
  const subcommand = words.slice(1).find((word) => !word.startsWith("-"));
  return (subcommand !== undefined && STARTING.has(`${name}:${subcommand}`)) || (arities.has(name) && words[1]?.startsWith("-c") === true);
}

/** How many words make up a command whose further words are mere arguments. */
const arities = new Map<string, number>([
  ...["git", "npm", "pnpm", "yarn", "cargo", "go", "docker", "podman", "kubectl", "helm"].map((name) => [name, 2] as const),
  ...["pip", "pip3", "uv", "poetry", "gem", "bundle", "composer", "dotnet", "brew", "apt"].map((name) => [name, 2] as const),
  ...["npm run", "npm run-script", "pnpm run", "yarn run", "yarn workspace"].map((name) => [name, 3] as const),
  ...["git remote", "git stash", "git worktree", "git branch", "git tag"].map((name) => [name, 3] as const),
  ...["gh", "aws", "gcloud", "az", "terraform workspace"].map((name) => [name, 3] as const),
  ...["pytest", "jest", "vitest", "mocha", "tsc", "eslint", "oxlint", "prettier", "ruff", "mypy"].map((name) => [name, 1] as const),
]);

function arityOf(words: readonly string[]): number | undefined {
  return arities.get(words.slice(0, 2).join(" ")) ?? arities.get(words[0] ?? "");
}

function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|bat)$/i, "");
}
