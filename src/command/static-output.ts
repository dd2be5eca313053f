import type { Command, CommandNode, ParsedScript } from "unbash";
import { heredocText } from "./heredoc-text.js";
import type { Scope } from "./scope.js";
import { decodeBase64, decodeHex, echoText, printfText, translate } from "./output-filters.js";
import { quietly, type Output, type Walk } from "./walk.js";
import { worse, type Field, type Taint } from "./words/field.js";
import { resolveText, resolveWord } from "./words/resolve-word.js";

/** The output of a script, if it can be known without running it: `echo`, `printf`, and programs that transform text. */
export function staticOutput(script: ParsedScript, scope: Scope, walk: Walk): Output | undefined {
  const [statement, ...more] = script.commands;
  if (statement === undefined || more.length > 0 || statement.background === true) return undefined;
  const { command } = statement;
  if (command.type === "AndOr") return undefined;
  return command.type === "Pipeline"
    ? pipelineOutput(command.commands, scope, walk)
    : pipelineOutput([command], scope, walk);
}

/** The output of the last of these commands, each of which reads the output of the one before it. */
export function pipelineOutput(
  commands: readonly CommandNode[],
  scope: Scope,
  walk: Walk,
): Output | undefined {
  // Commands before a program that reads no input do not matter; without such a program, the output is unknown.
  const start = commands.findLastIndex((command) => command.type === "Command" && isSource(command));
  if (start < 0) return undefined;
  const quiet = quietly(walk);
  let output: Output | undefined = { text: "", sure: true };
  for (const command of commands.slice(start)) {
    if (command.type !== "Command" || output === undefined) return undefined;
    output = stageOutput(command, output, (word) => resolveWord(word, scope, quiet), { scope, walk: quiet });
    if (output !== undefined && output.text.length > maxOutputLength) return undefined;
  }
  return output;
}

const maxOutputLength = 65_536;

function isSource({ name, redirects }: Command): boolean {
  if (name === undefined) return false;
  if (/^(?:\/\S*\/)?(?:echo|printf|which|command|type)$/.test(name.value)) return true;
  return name.value === "cat" && redirects.some(({ type }) => type !== "Redirect");
}

function stageOutput(
  command: Command,
  input: Output,
  resolve: (word: NonNullable<Command["name"]>) => readonly Field[],
  context: { readonly scope: Scope; readonly walk: Walk },
): Output | undefined {
  if (command.name === undefined || command.prefix.some(({ type }) => type === "Assignment"))
    return undefined;
  const fields = [command.name, ...command.args].flatMap((word) =>
    word.type === "Word" ? resolve(word) : [{ text: word.text, known: false, plain: false }],
  );
  if (fields.some(({ known, pattern }) => !known || pattern !== undefined)) return undefined;
  const given = inputOf(command, input, context);
  if (given === undefined) return undefined;
  const [name = "", ...args] = fields.map(({ text }) => text);
  const taint = fields.reduce<Taint | undefined>((found, field) => worse(found, field.taint), given.taint);
  const text = filter(name.slice(name.lastIndexOf("/") + 1), args, given.text);
  if (text === undefined) return undefined;
  // Shells differ about what `echo` makes of options and escapes.
  const differs = context.scope.plainSh && name === "echo" && args.some((arg) => /^-|\\/.test(arg));
  const odd = differs || lookups.has(name);
  return { text, sure: given.sure && !odd, taint: worse(taint, decoders.has(name) ? "decoded" : undefined) };
}

/** They tell where a program is, which is most likely where programs are. */
const lookups = new Set(["which", "command", "type"]);
const decoders = new Set(["base64", "xxd", "rev"]);

function inputOf(
  { redirects }: Command,
  input: Output,
  { scope, walk }: { readonly scope: Scope; readonly walk: Walk },
): Output | undefined {
  let given: Output | undefined = input;
  for (const redirect of redirects) {
    if (redirect.type === "HereString") {
      const field = redirect.target && resolveText(redirect.target, scope, walk);
      given = field?.known === true ? { text: `${field.text}\n`, sure: true, taint: field.taint } : undefined;
    } else if (redirect.type === "HereDoc") {
      const field = heredocText(redirect, scope, walk);
      given = field.known ? { text: field.text, sure: true, taint: field.taint } : undefined;
    } else if (redirect.operator !== ">&" && redirect.target?.value !== "/dev/null") return undefined;
  }
  return given;
}

function filter(name: string, args: readonly string[], input: string): string | undefined {
  switch (name) {
    case "echo":
      return echoText(args);
    case "printf":
      return printfText(args);
    case "cat":
      return args.every((arg) => arg === "-") ? input : undefined;
    case "base64":
      return /^(?:-d|-D|--decode|-di|-id)$/.test(args.join(" ")) ? decodeBase64(input) : undefined;
    case "xxd":
      return /^(?:-r -p|-p -r|-rp|-pr|-r -ps|-ps -r)$/.test(args.join(" ")) ? decodeHex(input) : undefined;
    case "rev":
      return args.length === 0
        ? input.replaceAll(/[^\n]+/g, (line) => Array.from(line).toReversed().join(""))
        : undefined;
    case "tr":
      return translate(args, input);
    case "which":
      return args.length === 1 ? `/usr/bin/${args[0]}` : undefined;
    case "command":
    case "type":
      return args.length === 2 && /^-[vpP]$/.test(args[0]!) ? `/usr/bin/${args[1]}` : undefined;
    default:
      return undefined;
  }
}
