import { absolutePath, baseName, isInside } from "../words/paths.js";
import { reportCommand } from "../report-command.js";
import type { Scope } from "../scope.js";
import type { ResolvedCommand, Walk } from "../walk.js";
import { unfoldCode } from "./unfold-code.js";
import { unfoldEach } from "./unfold-each.js";
import { unfoldEnv } from "./unfold-env.js";
import { unfoldOptions } from "./unfold-options.js";
import { unfoldShell } from "./unfold-shell.js";
import { unfoldText } from "./unfold-text.js";
import { unfoldWrapper, wrapperNames } from "./unfold-wrapper.js";
import { runWords, type Unfold } from "./unfolding.js";

/** Look into a command that runs others; `true` where they stand for it and it need not be reported. */
export function unfoldCommand(resolved: ResolvedCommand, scope: Scope, walk: Walk): boolean {
  const [first, ...args] = resolved.fields;
  const text = first!.known ? first!.text : (first!.guess ?? "");
  if (text === "" || first!.pattern !== undefined) return false;
  const name = text.includes("/") ? foreignName(text, scope, walk) : text;
  if (name === undefined || scope.functions.has(name)) return false;
  const unfold = unfolders.get(name) ?? (isCode(name) ? unfoldCode : undefined);
  if (unfold === undefined) return false;
  if (scope.depth > maxUnfoldDepth) {
    walk.unknown.add("it is nested too deep to be looked into");
    return false;
  }
  return unfold({ resolved, name, args, scope, walk });
}

const maxUnfoldDepth = 96;

/** A program by its path; a program in the workspace may do anything, whatever its name. */
function foreignName(text: string, scope: Scope, walk: Walk): string | undefined {
  const path = absolutePath(text, scope.likelyCwd);
  return isInside(path, walk.place.workspace) ? undefined : baseName(path);
}

function isCode(name: string): boolean {
  return /^(?:python|pypy|perl|ruby|node|nodejs|php|lua|luajit)[\d.]*$/.test(name);
}

const shells = "sh bash dash ash zsh ksh mksh rbash fish csh tcsh pwsh powershell".split(" ");

/** Programs with options or subcommands that take a command. */
const takingCommands =
  "git tar bsdtar rsync ssh scp sftp vim vi nvim view ex sed gsed sort rg man gdb tcpdump zip wget psql mysql sqlite3".split(
    " ",
  );

const unfolders: ReadonlyMap<string, Unfold> = new Map<string, Unfold>([
  ...wrapperNames.map((name): [string, Unfold] => [name, unfoldWrapper]),
  ...shells.map((name): [string, Unfold] => [name, unfoldShell]),
  ...["eval", "source", ".", "trap", "alias", "su", "runuser", "script", "watch", "npx", "flock"].map(
    (name): [string, Unfold] => [name, unfoldText],
  ),
  ...["env", "command"].map((name): [string, Unfold] => [name, unfoldEnv]),
  ...["xargs", "parallel", "find", "fd", "fdfind"].map((name): [string, Unfold] => [name, unfoldEach]),
  ...["bun", "deno", "awk", "gawk", "mawk", "nawk", "osascript"].map((name): [string, Unfold] => [
    name,
    unfoldCode,
  ]),
  ...takingCommands.map((name): [string, Unfold] => [name, unfoldOptions]),
  ...["busybox", "toybox"].map((name): [string, Unfold] => [name, unfoldApplet]),
]);

function unfoldApplet(unfolding: Parameters<Unfold>[0]): boolean {
  const { args, resolved, scope, walk } = unfolding;
  if (args.length === 0 || args[0]!.text.startsWith("-")) return false;
  // The applet counts as the program, but allowing it does not allow busybox itself.
  runWords(unfolding, args, { strict: false });
  reportCommand(resolved, scope, walk);
  return true;
}
