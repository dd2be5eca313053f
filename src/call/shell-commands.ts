import { createHash } from "node:crypto";
import { analyseCommand } from "../command/analyse-command.js";
import type { CommandAnalysis, SimpleCommand } from "../command/command-analysis.js";
import type { ShellLine } from "../contract/tool.js";
import type { PolicyCall, PolicyCommand } from "../policy/create-policy.js";
import type { ValidatedCall } from "./call.js";

/** What is known of the shell line of a call, and what the policy has to know of it. */
export interface ShellAnalysis {
  readonly input: unknown;
  readonly analysis: CommandAnalysis;
  readonly workspace: string;
  /** Made when the policy first asks: only then it is known what the call touches and what holds it. */
  parts: ShellParts | undefined;
}

type ShellParts = Pick<PolicyCall, "commands" | "changes" | "reads" | "writes">;

/** What is known of the shell line that a call would run; `undefined` where it runs none. */
export function analysisOf(call: ValidatedCall): CommandAnalysis | undefined {
  return shellOf(call)?.analysis;
}

/** What the policy has to know of the line: its commands, and the files that they read and change. */
export function shellParts(call: ValidatedCall): ShellParts | undefined {
  const shell = shellOf(call);
  return shell && (shell.parts ??= toParts(call, shell));
}

/** Each input is taken apart once, however often it is asked about. */
function shellOf(call: ValidatedCall): ShellAnalysis | undefined {
  const { analysed } = call;
  if (analysed !== undefined && analysed.input === call.input) return analysed;
  const shell = call.entry.tool.shellLine?.(call.input);
  if (shell === undefined) return undefined;
  const { world } = call.parts;
  const workspace = world.root?.() ?? world.canonicalPath(".");
  const analysis = analyse(call, shell, workspace);
  const fresh: ShellAnalysis = { input: call.input, analysis, workspace, parts: undefined };
  call.analysed = fresh;
  return fresh;
}

function analyse(
  call: ValidatedCall,
  { line, cwd, env = {}, dialect, stdin }: ShellLine,
  workspace: string,
): CommandAnalysis {
  const { env: own } = call.session;
  return analyseCommand(line, {
    workspace,
    cwd: cwd === undefined ? undefined : call.parts.world.canonicalPath(cwd),
    dialect,
    stdin,
    home: own.entries().get("HOME"),
    env: [...(own.changed ?? []), ...Object.keys(env)],
  });
}

function toParts(call: ValidatedCall, { analysis, workspace }: ShellAnalysis): ShellParts {
  const sandboxed = call.parts.world.sandbox().active;
  const toPath = relativeTo(workspace);
  const variables = givenVariables(call);
  const given = (command: SimpleCommand): string | null | undefined =>
    givenTo(command, { workspace, variables });
  return {
    commands: toCommands(analysis, given).map((command) => ({ ...command, sandboxed })),
    changes: analysis.changes.map(toPath),
    reads: [...call.reads, ...analysis.reads.map((path) => ({ path: toPath(path) }))],
    writes: [...call.writes, ...analysis.writes.map((path) => ({ path: toPath(path) }))],
  };
}

/** As other tools name files: relative to the workspace, whichever way that was named. */
function relativeTo(workspace: string): (path: string) => string {
  return (path) => (path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path);
}

/** What a command gets besides its words, in words; see {@link PolicyCommand.given}. */
function givenTo(
  { stdin, cwds }: SimpleCommand,
  { workspace, variables }: { readonly workspace: string; readonly variables: string | undefined },
): string | null | undefined {
  if (stdin === null || cwds === null) return null;
  const parts = [
    stdin === undefined ? undefined : `with the input sha256:${digestOf(stdin)}`,
    cwds.length === 1 && cwds[0] === workspace
      ? undefined
      : `in ${cwds.map(relativeTo(workspace)).join(" or ")}`,
    variables === undefined ? undefined : `with the variables sha256:${digestOf(variables)}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Variables that were set for the call or by the session: they can change what any command does. */
function givenVariables(call: ValidatedCall): string | undefined {
  const { env: own } = call.session;
  const set = call.entry.tool.shellLine?.(call.input)?.env ?? {};
  const all = new Map([...(own.changed ?? [])].map((name) => [name, own.entries().get(name) ?? ""] as const));
  for (const [name, value] of Object.entries(set)) all.set(name, value);
  if (all.size === 0) return undefined;
  return JSON.stringify([...all].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function toCommands(
  { commands, unknown, denied }: CommandAnalysis,
  given: (command: SimpleCommand) => string | null | undefined,
): PolicyCommand[] {
  const list: PolicyCommand[] = commands.map((command) => ({
    words: command.words,
    known: command.known,
    readOnly: command.readOnly,
    why: command.why,
    given: given(command),
    denied: command.denied,
  }));
  // What is wrong with the line as a whole counts like one more command that nobody knows.
  if (denied !== undefined && list.every((command) => command.denied === undefined))
    list.unshift({ words: [], known: false, readOnly: false, denied });
  if (unknown.length > 0) list.push({ words: [], known: false, readOnly: false, why: unknown.join("; ") });
  // A line without any command, such as a comment, does nothing.
  return list.length > 0 ? list : [{ words: [":"], known: true, readOnly: true }];
}

const mostShown = 50;

/** The commands of a line one by one, for the person who is asked. */
export function commandLines({ commands, unknown }: CommandAnalysis): readonly string[] {
  const lines = commands.slice(0, mostShown).map(commandLine);
  const more = commands.length > mostShown ? [`… ${commands.length - mostShown} more commands`] : [];
  return [...new Set([...lines, ...more, ...unknown.map((why) => `… not known: ${why}`)])];
}

function commandLine({ words, assignments, redirections, via, why, readOnly }: SimpleCommand): string {
  const set = assignments.map(({ name, value }) => `${name}=${quote(value)}`);
  const led = redirections.map(({ op, target }) =>
    op.startsWith("<<") && op !== "<<<" ? `${op} (text in the arguments)` : `${op} ${quote(target)}`,
  );
  const notes = [
    ...(via.length > 0 ? [`in ${via.join(", ")}`] : []),
    ...(readOnly ? ["only reads"] : []),
    ...(why === undefined ? [] : [why]),
  ];
  return [...set, ...words.map(quote), ...led, ...(notes.length > 0 ? [`  # ${notes.join("; ")}`] : [])].join(
    " ",
  );
}

/** Shown as the program gets it; what is not known stays as it was written. */
function quote(word: string): string {
  return /^[\w./:=@%+,~*?${}[\]()-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
