import type { PolicyCommand } from "./policy-call.js";
import { joinWords } from "./split-words.js";

/**
 * The widest `command` pattern that one consent grants: where the further words are mere arguments,
 * the words that name what is done (`npm run test *`), any other command exactly as it stands.
 * `undefined` for interpreters and starters of other programs, and where the words are not known:
 * consent to one use of them says nothing about the next.
 */
export function grantCommand({ words, known }: PolicyCommand): string | undefined {
  if (!known || words.length === 0 || isStarter(words)) return undefined;
  const arity = arityOf(words);
  const head = words.slice(0, arity);
  const plain = head.length === arity && head.every((word) => /^[\w@.:][\w@./:+-]*$/.test(word));
  return plain ? `${joinWords(head)} *` : joinWords(words);
}

/** Programs that run whatever they are given. */
const STARTERS = new Set(
  (
    "sh bash zsh dash ash ksh mksh fish csh tcsh pwsh powershell cmd busybox toybox eval exec source . command builtin " +
    "env sudo doas su runuser pkexec xargs parallel nohup setsid timeout nice ionice chrt taskset stdbuf time watch " +
    "strace ltrace gdb lldb script expect unshare nsenter chroot flatpak ssh mosh rsh socat nc ncat " +
    "deno bun tsx ts-node npx bunx pnpx uvx pipx awk gawk mawk nawk ed ex vi vim nvim emacs " +
    "osascript Rscript R julia java jshell kotlin scala groovy elixir erl ghci runghc tclsh wish " +
    "at batch crontab systemd-run screen tmux"
  ).split(" "),
);

const NUMBERED = /^(?:python|pypy|perl|ruby|node|nodejs|lua|luajit|php|guile|racket)[\d.]*w?$/;

/** Subcommands that run whatever they are given, or make others do so later. */
const STARTING = new Set(
  (
    "npm:exec npm:x npm:explore npm:config npm:set yarn:dlx yarn:exec yarn:node yarn:config pnpm:dlx pnpm:exec " +
    "pnpm:config docker:run docker:exec podman:run podman:exec kubectl:exec kubectl:run kubectl:debug " +
    "uv:run poetry:run pdm:run rye:run hatch:run pipenv:run conda:run bundle:exec go:run go:generate go:tool " +
    "cargo:run dotnet:run git:config git:bisect git:filter-branch git:difftool git:mergetool " +
    "gh:alias gh:extension nix:run nix:shell nix:develop"
  ).split(" "),
);

function isStarter(words: readonly string[]): boolean {
  const name = programName(words[0] ?? "");
  if (STARTERS.has(name) || NUMBERED.test(name)) return true;
  const subcommand = words.slice(1).find((word) => !word.startsWith("-"));
  return subcommand !== undefined && STARTING.has(`${name}:${subcommand}`);
}

/** How many words say what is done. Short on purpose: what is missing is granted word by word. */
const arities = new Map<string, number>([
  ...["run", "run-script"].map((verb) => [`npm ${verb}`, 3] as const),
  ...["pnpm run", "yarn run"].map((verb) => [verb, 3] as const),
  ...["npm test", "npm ci", "pnpm test", "yarn test"].map((verb) => [verb, 2] as const),
  ...["git add", "git commit", "git switch"].map((verb) => [verb, 2] as const),
  ...["build", "check", "test", "clippy", "fmt", "doc"].map((verb) => [`cargo ${verb}`, 2] as const),
]);

function arityOf(words: readonly string[]): number {
  return arities.get(words.slice(0, 2).join(" ")) ?? Infinity;
}

function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|bat)$/i, "");
}
