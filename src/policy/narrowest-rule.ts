import type { Resource } from "../contract/resources.js";
import { isShell } from "./facets.js";
import type { PolicyCall, PolicyCommand } from "./policy-call.js";
import type { PolicyRule } from "./policy-rule.js";
import { joinWords } from "./split-words.js";
import { escapeWildcard } from "../glob/wildcard.js";

/**
 * The rule that "always" adds: this tool with exactly the paths, hosts and commands of this call.
 * Where nothing in it can be granted for good (an interpreter, words that nobody knows), the rule
 * says `ask`: adding it changes nothing.
 * @param reads What a command reads and other rules refuse: it is named too, as what it reads otherwise needs no consent.
 */
export function narrowestRule(call: PolicyCall, reads: readonly string[] = []): PolicyRule {
  const named = namedResources(call, reads);
  const commands = commandsToGrant(call);
  const patterns = commands.map(patternsFor(named.hosts)).filter((pattern) => pattern !== undefined);
  const opaque = call.category === "shell" && call.annotations.dangerous === true && commands.length === 0;
  const granted = commands.length === 0 ? !opaque : patterns.length > 0;
  const given = sameGiven(commands);
  if (!granted || given === null || named.count > maxNamed || patterns.length > maxNamed)
    return askAgain(call, commands);
  return build(call, { ...named, patterns, given });
}

/** What all the commands get besides their words; `null` where that is not known, or not the same for all. */
function sameGiven(commands: readonly PolicyCommand[]): string | null | undefined {
  const [first] = commands;
  return commands.every(({ given }) => given === first?.given) ? first?.given : null;
}

/** The rule that would allow exactly this call, whether or not it should be offered. */
export function coveringRule(call: PolicyCall, reads: readonly string[] = []): PolicyRule {
  const commands = commandsToGrant(call);
  const nameless = commands.some(({ known, words }) => !known || words.length === 0);
  if (nameless || (commands.length === 0 && narrowestRule(call).decision === "ask")) {
    return { decision: "allow", ...subject(call) };
  }
  const named = namedResources(call, reads);
  const patterns = commands.map((command) => patternsFor(named.hosts)(command) ?? joinWords(command.words));
  const given = sameGiven(commands);
  const rule = build(call, { ...named, patterns, given: given ?? undefined });
  if (given !== null) return rule;
  const { exact: _exact, ...wider } = rule;
  return wider;
}

const maxNamed = 1000;

interface Named {
  readonly paths: readonly string[];
  readonly hosts: readonly string[];
}

/** The paths and hosts of the call, as patterns that match nothing else. */
function namedResources(call: PolicyCall, reads: readonly string[] = []): Named & { readonly count: number } {
  const shell = isShell(call);
  const touched = shell ? call.writes : [...call.writes, ...call.reads];
  const paths = [
    ...new Set([...touched.flatMap((resource) => pathPattern(resource, shell)), ...reads.map(literalPath)]),
  ];
  const both = [...call.writes, ...call.reads];
  const hosts = [
    ...new Set(both.flatMap((resource) => ("host" in resource ? [hostPattern(resource.host, shell)] : []))),
  ];
  return { paths, hosts, count: Math.max(paths.length, hosts.length) };
}

function pathPattern(resource: Resource, shell: boolean): string[] {
  if ("path" in resource) return [literalPath(resource.path)];
  if ("tree" in resource && !shell)
    return [resource.tree === "." ? "**" : `${literalPath(resource.tree)}/**`];
  return [];
}

/** A path that a glob would read otherwise (`~`, blanks only, a slash at the end) is led by `./` or cut. */
function literalPath(path: string): string {
  const escaped = escapeWildcard(path.replace(/(?<=[^/])\/+$/, ""));
  return /^[~\s]/.test(escaped) ? `./${escaped}` : escaped;
}

/** For a command, `*.example.com` means all the hosts that it may reach; no other wildcard is kept. */
function hostPattern(host: string, shell: boolean): string {
  const wildcards = shell ? /^(\*(?=$|[.:]))?(.*)$/s : /^(\*(?=$))?(.*)$/s;
  const [, wildcard = "", name = ""] = wildcards.exec(host) ?? [];
  return wildcard + name.replaceAll(/[*?{}!\\]/g, String.raw`\$&`);
}

/** Where the call names its hosts, a command that installs packages is granted for all packages of these hosts. */
function patternsFor(hosts: readonly string[]): (command: PolicyCommand) => string | undefined {
  const isBounded = hosts.length > 0 && !hosts.some((host) => /^\*(?::|$)/.test(host));
  return (command) => grantCommand(command, isBounded && command.sandboxed === true);
}

/** The commands that a person had to consent to: not those that only read, unless all do. */
function commandsToGrant({ commands = [] }: PolicyCall): readonly PolicyCommand[] {
  const asked = commands.filter(({ known, readOnly }) => !known || !readOnly);
  return asked.length > 0 ? asked : commands;
}

interface Granted extends Named {
  readonly patterns: readonly string[];
  readonly given: string | undefined;
}

function build(call: PolicyCall, { paths, hosts, patterns, given }: Granted): PolicyRule {
  const resources = {
    ...(patterns.length > 0 && { command: oneOrList([...new Set(patterns)]), exact: true }),
    ...(patterns.length > 0 && given !== undefined && { given }),
    ...(paths.length > 0 && { path: oneOrList(paths) }),
    ...(hosts.length > 0 && { host: oneOrList(hosts) }),
  };
  const none = Object.keys(resources).length === 0;
  return { decision: "allow", ...subject(call, none), ...resources };
}

function subject(call: PolicyCall, withAgent = true): Pick<PolicyRule, "tool" | "agent" | "user" | "client"> {
  return {
    tool: escapeWildcard(call.toolName),
    ...(withAgent && call.agent !== "" && { agent: escapeWildcard(call.agent) }),
    // One user's consent is nobody else's.
    ...(call.userId !== undefined && call.userId !== "" && { user: escapeWildcard(call.userId) }),
    // What one program was allowed is not allowed to all others.
    ...(call.client !== undefined && call.client !== "" && { client: escapeWildcard(call.client) }),
  };
}

function askAgain(call: PolicyCall, commands: readonly PolicyCommand[]): PolicyRule {
  const lines = commands
    .filter(({ known, words }) => known && words.length > 0)
    .map(({ words }) => joinWords(words));
  const command = lines.length > 0 && lines.length <= maxNamed && { command: oneOrList([...new Set(lines)]) };
  return { decision: "ask", ...subject(call), ...command, reason: "it cannot be allowed permanently" };
}

function oneOrList(items: readonly string[]): string | readonly string[] {
  return items.length === 1 ? items[0]! : items;
}

/**
 * The widest `command` pattern that one consent grants: where the further words are mere arguments,
 * the words that name what is done (`npm run test *`), any other command exactly as it stands.
 * `undefined` for interpreters and starters of other programs, and where the words are not known:
 * consent to one use of them says nothing about the next.
 * @param installs The sandbox and named hosts bound what an install can do, so it is granted for any package.
 */
function grantCommand({ words, known }: PolicyCommand, installs: boolean): string | undefined {
  if (!known || words.length === 0 || isStarter(words)) return undefined;
  const arity = arityOf(words, installs);
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

/** Commands that fetch packages, by their first two words. */
const installers = new Set(
  (
    "npm install,npm i,npm add,npm update,npm view,pnpm install,pnpm i,pnpm add,pnpm update,yarn install,yarn add," +
    "pip install,pip download,pip3 install,pip3 download,cargo add,cargo fetch,cargo update,go get,go mod," +
    "gem install,bundle install,composer install,composer require,apt-get install,apt-get update,apt install,apt update"
  ).split(","),
);

function arityOf(words: readonly string[], installs: boolean): number {
  const head = words.slice(0, 2).join(" ");
  return arities.get(head) ?? (installs && installers.has(head) ? 2 : Infinity);
}

function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|bat)$/i, "");
}
