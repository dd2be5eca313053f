import type { AnalyseOptions, CommandAnalysis, SimpleCommand } from "./command-analysis.js";
import { nothingFed, type Scope, forget, scopeVia } from "./scope.js";
import { staticOutput } from "./static-output.js";
import { walkNode, walkScript } from "./walk-script.js";
import type { ShellContext, Walk, ResolvedCommand } from "./walk.js";
import { absolutePath } from "./words/paths.js";
import { resolveParts, resolveText } from "./words/resolve-word.js";
import { grammar } from "./grammar.js";
import { applyBuiltin } from "./apply-builtin.js";
import { assignedNames } from "./assigned-names.js";
import { movedByGit } from "./moved-by-git.js";
import { reportCommand } from "./report-command.js";
import { unfoldCommand } from "./unfold/unfold-command.js";
import { denyCommand } from "./judge/deny-command.js";
import { knownField } from "./words/field.js";

/** Longer lines always ask. */
const maxLineLength = 16_384;
/** Longer lines are only scanned for commands that are denied. */
const maxParsedLength = 131_072;
/** How often parts of a line are walked again with other values. */
const budget = 64;

/** Split a shell line into its simple commands, and say what is known about each. Reads no file and runs nothing. */
export function analyseCommand(line: string, options: AnalyseOptions): CommandAnalysis {
  const place = toShellContext(options);
  const walk = createWalk(place);
  if (line.length > maxLineLength) walk.unknown.add(`it is longer than ${maxLineLength} characters`);
  if (line.includes("\0")) walk.unknown.add("it contains a NUL character, where a shell would stop reading");
  if (place.dialect === "other") walk.unknown.add("only lines for bash and sh are judged by their grammar");
  if (line.length > maxParsedLength) walk.tooDeep = true;
  else walkSafely(line, firstScope(options, place), walk);
  if (walk.tooDeep) walk.denied ??= roughDenial(line, firstScope(options, place), place);
  return toAnalysis(walk, startFolder(options, place));
}

/** If the parser fails on a line, the line is unknown. */
function walkSafely(line: string, scope: Scope, walk: Walk): void {
  try {
    walk.source(line, scope);
  } catch (error) {
    walk.unknown.add(`it could not be taken apart (${error instanceof Error ? error.name : "error"})`);
    walk.tooDeep = true;
  }
}

function toShellContext({ workspace, home, dialect = "bash", env = [] }: AnalyseOptions): ShellContext {
  return {
    workspace: absolutePath(workspace, "/"),
    home: absolutePath(home ?? "/home/user", "/"),
    dialect,
    env,
  };
}

function startFolder({ cwd = "." }: Pick<AnalyseOptions, "cwd">, { workspace }: ShellContext): string {
  return absolutePath(cwd, workspace);
}

function firstScope({ cwd, stdin }: AnalyseOptions, place: ShellContext): Scope {
  return {
    vars: new Map(),
    positional: [],
    functions: new Map(),
    cwds: [startFolder({ cwd }, place)],
    likelyCwd: startFolder({ cwd }, place),
    unreliable: undefined,
    plainSh: place.dialect !== "bash",
    strict: place.dialect !== "other",
    depth: 0,
    via: [],
    stdin: stdin === undefined ? nothingFed : { fed: true, sure: () => true, text: () => stdin },
    readers: [],
    connections: new Set(),
    flow: { taint: undefined },
  };
}

function createWalk(place: ShellContext): Walk {
  const walk: Walk = {
    place,
    commands: [],
    unknown: new Set(),
    reads: new Set(),
    writes: new Set(),
    changes: new Set(),
    loose: false,
    service: undefined,
    interactive: undefined,
    denied: undefined,
    at: { start: 0, end: 0 },
    inner: -1,
    found: undefined,
    tooDeep: false,
    budget,
    script: (script, scope) => walkScript(script, scope, walk),
    node: (node, scope) => walkNode(node, scope, walk),
    resolve: { text: resolveText, parts: resolveParts, output: staticOutput },
    source: (text, scope) => walkSource(text, scope, walk),
    command: (resolved, scope) => runCommand(resolved, scope, walk),
  };
  return walk;
}

function walkSource(text: string, scope: Scope, walk: Walk): void {
  if (!isTooNested(text)) {
    walk.inner += 1;
    walkScript(grammar().parse(text), scope, walk);
    walk.inner -= 1;
    return;
  }
  walk.unknown.add("it is nested too deep");
  walk.tooDeep = true;
}

function toAnalysis(walk: Walk, cwd: string): CommandAnalysis {
  const { unknown, loose } = walk;
  const commands = loose ? walk.commands.map(asLoose) : walk.commands;
  const denied = walk.denied ?? commands.find((command) => command.denied !== undefined)?.denied;
  return {
    commands,
    readOnly:
      unknown.size === 0 && !loose && denied === undefined && commands.every(({ readOnly }) => readOnly),
    unknown: [...unknown],
    denied,
    reads: [...walk.reads],
    writes: [...walk.writes],
    changes: [...walk.changes],
    movedByGit: movedByGit(walk.commands),
    service: walk.service,
    interactive: walk.interactive,
    cwd,
    isOnlyCd: commands.length > 0 && unknown.size === 0 && commands.every(isCd),
  };
}

/** In a subshell or in the background, it has no effect on the shell itself. */
function isCd({ words, via, assignments, redirections }: SimpleCommand): boolean {
  return words[0] === "cd" && via.length === 0 && assignments.length === 0 && redirections.length === 0;
}

function asLoose(command: SimpleCommand): SimpleCommand {
  return command.readOnly ? { ...command, readOnly: false } : command;
}

const maxBodyLength = 4096;

/** Analyse a command: the commands that it runs are reported instead of it or in addition to it. */
function runCommand(resolved: ResolvedCommand, scope: Scope, walk: Walk): void {
  const [name] = resolved.fields;
  if (name === undefined) return;
  if (name.known) callFunction(name.text, resolved, scope, walk);
  const replaced = unfoldCommand(resolved, scope, walk);
  if (!replaced) reportCommand(resolved, scope, walk);
  applyBuiltin(resolved, scope, walk);
}

/** Walk the body of a function of the line with the words that it is called with. */
function callFunction(name: string, { fields }: ResolvedCommand, scope: Scope, walk: Walk): void {
  const body = scope.functions.get(name);
  if (body === undefined) return;
  const { names, moves } = assignedNames(body, scope.functions, (walk.found ??= new WeakMap()));
  const within = scope.via.filter((via) => via === `${name}()`).length;
  if (within < 2 && walk.budget > 0 && body.end - body.pos <= maxBodyLength && scope.depth < maxCallDepth) {
    walk.budget--;
    const inner = scopeVia(scope, `${name}()`, { positional: fields.slice(1), strict: false });
    walk.node(body, { ...inner, vars: new Map(scope.vars) });
  }
  const { positional } = scope;
  forget(scope, names);
  scope.positional = positional;
  if (moves) scope.cwds = undefined;
  scope.unreliable ??= "a function of the line was called before it";
}

const maxCallDepth = 48;

const maxDepth = 300;
const maxHeredocs = 300;

/**
 * Whether text is so deep, or opens so much that it never closes, that parsing it would take long:
 * the parser looks ahead from each opening bracket. Quotes do not count here, since code in them is balanced.
 */
function isTooNested(text: string): boolean {
  let depth = 0;
  let heredocs = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // ( [ { open, ) ] } close.
    if (code === 40 || code === 91 || code === 123) {
      if (++depth > maxDepth) return true;
    } else if (code === 41 || code === 93 || code === 125) {
      if (depth > 0) depth--;
    } else if (code === 60 && text.charCodeAt(at + 1) === 60) {
      if (++heredocs > maxHeredocs) return true;
      at++;
    }
  }
  return false;
}

const maxCommandLength = 4096;

/**
 * Look for denied commands in text that is too long or too deeply nested to be parsed: everything between two
 * separators counts as a command. A limit of the parser must not hide a command that must never run.
 */
function roughDenial(text: string, scope: Scope, place: ShellContext): string | undefined {
  const loose: Scope = { ...scope, strict: false };
  for (const [part] of text.matchAll(/[^;&|(){}`\n]+/g)) {
    const words = part
      .slice(0, maxCommandLength)
      .split(/[ \t]+/)
      .filter((word) => word !== "" && word !== "$" && word !== "!");
    if (words.length === 0) continue;
    const fields = words.map((word) => knownField(word.replaceAll(/["'\\]/g, "")));
    const denied = denyCommand(
      { fields, assignments: [], redirections: [], stdin: nothingFed },
      loose,
      place,
    );
    if (denied !== undefined) return denied;
  }
  return undefined;
}
