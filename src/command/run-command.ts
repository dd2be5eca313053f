import { applyBuiltin } from "./apply-builtin.js";
import { assignedNames } from "./assigned-names.js";
import { reportCommand } from "./report-command.js";
import { forget, scopeVia, type Scope } from "./scope.js";
import { unfoldCommand } from "./unfold/unfold-command.js";
import type { ResolvedCommand, Walk } from "./walk.js";

const maxBodyLength = 4096;

/** Look into a command: what it runs in turn is reported in its place, or beside it. */
export function runCommand(resolved: ResolvedCommand, scope: Scope, walk: Walk): void {
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
  scope.poison ??= "a function of the line was called before it";
}

const maxCallDepth = 48;
