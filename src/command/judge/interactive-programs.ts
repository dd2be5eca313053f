import { baseName } from "../words/paths.js";

type Check = (args: readonly string[]) => boolean;

const has =
  (shape: RegExp): Check =>
  (args) =>
    args.some((word) => shape.test(word));
const lacks =
  (shape: RegExp): Check =>
  (args) =>
    !has(shape)(args);
const always: Check = () => true;
const bare: Check = (args) => args.length === 0;
const operands = (args: readonly string[]): readonly string[] => args.filter((word) => !word.startsWith("-"));

/** Options with which an editor or `top` needs no terminal. */
const unattended = has(/^(?:-[eE]?s|-[bB]\w*|--batch|-batch|--headless)$/);
const quits = /^:?(?:[wx]?qa?|x|xa|cq|wqall|qall|quit)!?$/;

/** An editor that is told on its line to end: by `+q`, or by a command after `-c`. */
const endsItself: Check = (args) =>
  args.some((word, at) =>
    word.startsWith("+") ? quits.test(word.slice(1)) : args[at - 1] === "-c" && lastCommandQuits(word),
  );

/** The commands of an editor are separated by bars: `%s/a/b/ | wq`. */
const lastCommandQuits = (commands: string): boolean => quits.test(commands.split("|").at(-1)?.trim() ?? "");

/** Programs that draw on the whole screen, with the calls of them that do. */
const screens: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...named(
    "vi vim nvim view vimdiff ex emacs mg joe jed kak top",
    (args) => !unattended(args) && !endsItself(args),
  ),
  ...named("nano pico micro hx helix htop btop atop tig lazygit lazydocker k9s ranger mc nmtui", always),
  ...named("less more most man dialog whiptail", always),
  ["fzf", lacks(/^(?:-f|--filter)/)],
  [
    "tmux",
    (args) => bare(args) || (has(/^(?:new(?:-session)?|a(?:ttach.*)?)$/)(args) && !args.includes("-d")),
  ],
  ["screen", lacks(/^-(?:d|D|ls|list|X|v|wipe)/)],
]);

const unasked = /^(?:-y|--yes|-n|--no-interaction|--non-interactive|--no-input)$/;
const initOnly: Check = (args) => operands(args).join(" ") === "init" && lacks(unasked)(args);
const statement = /^(?:-[ceEfl]|--(?:command|execute|eval|file|list|version|help))/;

/** Programs that read answers or statements from their input, with the calls of them that do. */
const prompts: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["npm", (args) => initOnly(args) || /^(?:login|adduser)$/.test(operands(args)[0] ?? "")],
  ...named("yarn bun poetry composer pdm", initOnly),
  ["gh", (args) => args[0] === "auth" && args[1] === "login" && lacks(/^--(?:with-token|web)$/)(args)],
  [
    "git",
    (args) =>
      /^(?:add|checkout|reset|stash|restore|commit)$/.test(args[0] ?? "") && has(/^(?:-p|--patch)$/)(args),
  ],
  ["passwd", bare],
  [
    "python",
    (args) =>
      bare(args) ||
      args[0] === "-i" ||
      ((args[0] ?? "").endsWith("manage.py") && args.join(" ").endsWith(" shell")),
  ],
  ["node", (args) => bare(args) || has(/^(?:-i|--interactive)$/)(args)],
  ["deno", (args) => bare(args) || (args[0] === "repl" && lacks(/^--eval/)(args))],
  ["php", has(/^-a$/)],
  ["rails", (args) => /^(?:c|console)$/.test(args[0] ?? "")],
  ...named("ipython bpython irb pry ghci iex erl jshell lua julia bc redis-cli", bare),
  ...named("R", lacks(/^(?:-e|-f|--file|CMD)/)),
  ...named("psql mysql mariadb", lacks(statement)),
  ...named("sqlite3 mongosh", (args) => operands(args).length <= 1 && lacks(statement)(args)),
]);

function named(names: string, check: Check): [string, Check][] {
  return names.split(" ").map((name) => [name, check]);
}

const informs = has(/^(?:--help|-h|--version|-V)$/);

/**
 * The program that waits for a person, if the words start one. A program that reads its input does not wait if that
 * comes from elsewhere.
 */
export function interactiveProgram(words: readonly string[], isFed: boolean): string | undefined {
  const [program = "", ...args] = words;
  const name = baseName(program);
  const waits =
    screens.get(name) ?? (isFed ? undefined : prompts.get(name.replace(/^python[\d.]+$/, "python")));
  if (waits === undefined || informs(args) || !waits(args)) return undefined;
  return screens.has(name) ? name : [name, ...args].slice(0, 3).join(" ");
}
