import type {
  CommandNode,
  ParsedScript,
  PipelineNode,
  Statement,
  SyntaxNode,
  Pipeline,
  TestExpression,
  Word,
} from "unbash";
import {
  bothPlaces,
  carryOver,
  forkScope,
  settle,
  walkBranch,
  type Scope,
  type Flow,
  type Stdin,
} from "./scope.js";
import { walkArithmetic } from "./walk-arithmetic.js";
import { setVariable, walkCommand, walkRedirections } from "./walk-command.js";
import { walkCase, walkFor, walkFunction, walkLoop } from "./walk-loops.js";
import { maxDepth, type Walk, type WalkedNode, type Output } from "./walk.js";
import { pipelineOutput } from "./static-output.js";
import { worse, type Taint } from "./words/field.js";
import { absolutePath, isInside } from "./words/paths.js";
import { resolveText } from "./words/resolve-word.js";

/** Walk a script statement by statement, in the order in which a shell would run them. */
export function walkScript(script: ParsedScript, scope: Scope, walk: Walk): void {
  for (const { message } of script.errors ?? []) {
    walk.unknown.add(`it cannot be parsed: ${message}`);
    if (message.includes("nesting depth exceeded")) walk.tooDeep = true;
  }
  walkStatements(script.commands, scope, walk);
}

function walkStatements(statements: readonly Statement[], scope: Scope, walk: Walk): void {
  if (scope.depth > maxDepth) walk.unknown.add(`it is nested more than ${maxDepth} levels deep`);
  for (const statement of statements) walkStatement(statement, scope, walk);
}

function walkStatement({ command, background }: Statement, scope: Scope, walk: Walk): void {
  if (background === true) {
    walkNode(command, forkScope(scope, { via: [...scope.via, "&"] }), walk);
    return;
  }
  const before = scope.cwds;
  walkNode(command, scope, walk);
  // A `cd` may have failed.
  scope.cwds = bothPlaces(before, scope.cwds);
}

export function walkNode(node: WalkedNode, scope: Scope, walk: Walk): void {
  switch (node.type) {
    // Also where a body should be one command: the parser had to repair something.
    case "CompoundList":
      walkStatements(node.commands, scope, walk);
      return;
    case "AndOr":
      walkAndOr(node.commands, node.operators, scope, walk);
      return;
    case "Pipeline":
      walkPipeline(node, scope, walk);
      return;
    default:
      walkOne(node, scope, walk);
  }
}

function walkAndOr(
  commands: readonly PipelineNode[],
  operators: readonly string[],
  scope: Scope,
  walk: Walk,
): void {
  let sure: ReadonlyMap<string, unknown> | undefined;
  for (const [at, command] of commands.entries()) {
    if (at === 1) sure = new Map(scope.vars);
    const before = scope.cwds;
    // After `||` the one before it failed somewhere on its way.
    if (operators[at - 1] === "||") settle(scope, sure as Scope["vars"]);
    walkNode(command, scope, walk);
    if (operators[at] === "||") scope.cwds = bothPlaces(before, scope.cwds);
  }
  settle(scope, sure as Scope["vars"]);
}

function walkOne(node: CommandNode, scope: Scope, walk: Walk): void {
  switch (node.type) {
    case "Command":
      walkCommand(node, scope, walk);
      return;
    case "Redirected": {
      const { stdin, strict } = walkRedirections(node.redirects, scope, walk);
      const inner = { ...scope, stdin, strict };
      walkOne(node.command, inner, walk);
      carryOver(scope, inner);
      return;
    }
    case "Subshell":
      walkNode(node.body, forkScope(scope), walk);
      return;
    case "BraceGroup":
      walkNode(node.body, scope, walk);
      return;
    case "If":
      walkIf(node, scope, walk);
      return;
    case "For":
    case "Select":
      walkFor(node, scope, walk);
      return;
    case "While":
    case "ArithmeticFor":
      walkLoop(node, scope, walk);
      return;
    case "Case":
      walkCase(node, scope, walk);
      return;
    case "Function":
      walkFunction(node, scope, walk);
      return;
    case "TestCommand":
      walkTest(node.expression, scope, walk);
      return;
    case "ArithmeticCommand":
      walk.loose = true;
      if (scope.plainSh) walk.unknown.add("(( )), which is something else in a plain sh");
      walkArithmetic(node.expression, scope, walk);
      return;
    case "Coproc":
      walkNode(node.body, forkScope(scope, { strict: false, via: [...scope.via, "coproc"] }), walk);
      setVariable(node.name?.value ?? "COPROC", {}, scope);
      return;
    default:
      walk.unknown.add("a kind of command that is not known");
  }
}

function walkIf(node: Extract<SyntaxNode, { type: "If" }>, scope: Scope, walk: Walk): void {
  walkNode(node.clause, scope, walk);
  const bodies = [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then])];
  if (node.else !== undefined) bodies.push(node.else);
  for (const body of bodies) walkBranch(scope, (inner) => walkNode(body, inner, walk));
}

/** Walk the commands of a pipeline; each knows its input and the readers of its output. */
function walkPipeline({ commands, prefixes }: Pipeline, scope: Scope, walk: Walk): void {
  if (commands.length === 1 && prefixes.length > 0) {
    walk.node(commands[0]!, scope);
    return;
  }
  const names = commands.map(programOf);
  const total: Flow = { taint: undefined };
  let stdin: Stdin = scope.stdin;
  for (const [at, command] of commands.entries()) {
    const flow: Flow = { taint: undefined };
    const readers = [...names.slice(at + 1, at + 1 + maxReaders), ...scope.readers.slice(0, maxReaders)];
    walk.node(command, forkScope(scope, { stdin, readers, flow }));
    total.taint = worse(total.taint, flow.taint);
    stdin = pipeFrom({ commands, end: at + 1, taint: total.taint }, scope, walk);
  }
  scope.flow.taint = worse(scope.flow.taint, total.taint);
}

const maxReaders = 16;

interface Upstream {
  readonly commands: readonly CommandNode[];
  readonly end: number;
  readonly taint: Taint | undefined;
}

function pipeFrom({ commands, end, taint }: Upstream, scope: Scope, walk: Walk): Stdin {
  let output: { readonly value: Output | undefined } | undefined;
  const read = (): Output | undefined =>
    (output ??= { value: pipelineOutput(commands.slice(0, end), scope, walk) }).value;
  const last = commands[end - 1];
  return {
    fed: true,
    from: last && programOf(last),
    taint,
    text: () => read()?.text,
    sure: () => read()?.sure === true,
  };
}

function programOf(node: CommandNode): string {
  const word = node.type === "Command" ? (node.name?.value ?? "") : "";
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Walk `[[ … ]]`: numeric comparisons evaluate their operands, which can run commands. */
function walkTest(expression: TestExpression, scope: Scope, walk: Walk): void {
  switch (expression.type) {
    case "TestLogical":
      for (const operand of expression.operands) walkTest(operand, scope, walk);
      return;
    case "TestNot":
      walkTest(expression.operand, scope, walk);
      return;
    case "TestGroup":
      walkTest(expression.expression, scope, walk);
      return;
    case "TestUnary":
      walkOperand(expression.operand, expression.operator, scope, walk);
      return;
    default:
      for (const operand of [expression.left, expression.right])
        walkOperand(operand, expression.operator, scope, walk);
  }
}

const evaluating = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"]);

function walkOperand(word: Word, operator: string, scope: Scope, walk: Walk): void {
  const { text, known, plain } = resolveText(word, scope, walk);
  if (
    evaluating.has(operator) &&
    !/^-?\d*$/.test(text) &&
    !(operator === "-v" && /^\w+$/.test(text) && known)
  )
    walk.unknown.add(`[[ ${operator} ]] on something that is only known when it runs`);
  // Whether a file outside the workspace exists is not revealed without consent.
  const paths = (scope.cwds ?? []).map((cwd) => absolutePath(text, cwd));
  const outside = /^[/.]/.test(text) && !paths.every((path) => isInside(path, walk.place.workspace));
  if (!plain || outside) walk.loose = true;
}
