import type { CommandNode, Pipeline } from "unbash";
import { pipelineOutput } from "./static-output.js";
import { forkScope, type Flow, type Scope, type Stdin } from "./scope.js";
import type { Output, Walk } from "./walk.js";
import { worse, type Taint } from "./words/field.js";

/** Walk the commands of a pipeline, each knowing what comes in and who reads what goes out. */
export function walkPipeline({ commands, prefixes }: Pipeline, scope: Scope, walk: Walk): void {
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
