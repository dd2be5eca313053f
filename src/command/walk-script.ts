import type { CommandNode, ParsedScript, PipelineNode, Statement, SyntaxNode } from "unbash";
import { bothPlaces, carryOver, forkScope, settle, walkBranch, type Scope } from "./scope.js";
import { walkArithmetic } from "./walk-arithmetic.js";
import { setVariable, walkCommand, walkRedirections } from "./walk-command.js";
import { walkCase, walkFor, walkFunction, walkLoop } from "./walk-loops.js";
import { walkPipeline } from "./walk-pipeline.js";
import { walkTest } from "./walk-test.js";
import { maxDepth, type Walk, type WalkedNode } from "./walk.js";

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

/** Walk one command or a list of them. */
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
