import type { AnalyseOptions, CommandAnalysis, SimpleCommand } from "./command-analysis.js";
import { roughDenial } from "./rough-scan.js";
import { runCommand } from "./run-command.js";
import { nothingFed, type Scope } from "./scope.js";
import { isTooNested } from "./too-nested.js";
import { staticOutput } from "./static-output.js";
import { walkNode, walkScript } from "./walk-script.js";
import type { Place, Walk } from "./walk.js";
import { absolutePath } from "./words/paths.js";
import { resolveParts, resolveText } from "./words/resolve-word.js";
import { grammar } from "./grammar.js";

/** Longer lines ask, whatever is in them. */
const maxLineLength = 16_384;
/** Longer lines are only skimmed for what is denied. */
const maxParsedLength = 131_072;
/** How often parts of a line are walked again with other values. */
const budget = 64;

/**
 * Take a shell line apart: every simple command in it, what is known of each, and whether it only
 * reads or should never run. It reads no file and runs nothing.
 */
export function analyseCommand(line: string, options: AnalyseOptions): CommandAnalysis {
  const place = toPlace(options);
  const walk = createWalk(place);
  if (line.length > maxLineLength) walk.unknown.add(`it is longer than ${maxLineLength} characters`);
  if (line.includes("\0")) walk.unknown.add("it contains a NUL character, where a shell would stop reading");
  if (place.dialect === "other") walk.unknown.add("only lines for bash and sh are judged by their grammar");
  if (line.length > maxParsedLength) walk.tooDeep = true;
  else walkSafely(line, firstScope(options, place), walk);
  if (walk.tooDeep) walk.denied ??= roughDenial(line, firstScope(options, place), place);
  return toAnalysis(walk);
}

/** Whatever a line does to the parser, it is not known then. */
function walkSafely(line: string, scope: Scope, walk: Walk): void {
  try {
    walk.source(line, scope);
  } catch (error) {
    walk.unknown.add(`it could not be taken apart (${error instanceof Error ? error.name : "error"})`);
    walk.tooDeep = true;
  }
}

function toPlace({ workspace, home, dialect = "bash", env = [] }: AnalyseOptions): Place {
  return {
    workspace: absolutePath(workspace, "/"),
    home: absolutePath(home ?? "/home/user", "/"),
    dialect,
    env,
  };
}

function firstScope({ cwd = ".", stdin }: AnalyseOptions, place: Place): Scope {
  return {
    vars: new Map(),
    positional: [],
    functions: new Map(),
    cwds: [absolutePath(cwd, place.workspace)],
    likelyCwd: absolutePath(cwd, place.workspace),
    poison: undefined,
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

function createWalk(place: Place): Walk {
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

function toAnalysis(walk: Walk): CommandAnalysis {
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
    service: walk.service,
    interactive: walk.interactive,
  };
}

function asLoose(command: SimpleCommand): SimpleCommand {
  return command.readOnly ? { ...command, readOnly: false } : command;
}
