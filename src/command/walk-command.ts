import type { Assignment, Command, Redirection as RedirectionNode } from "unbash";
import type { CommandVariable } from "./command-analysis.js";
import { heredocText } from "./heredoc-text.js";
import { denyRedirection } from "./judge/deny-redirection.js";
import { isStrict } from "./judge/read-only.js";
import { isSteeringVariable } from "./judge/variables.js";
import type { Scope, Stdin, Value } from "./scope.js";
import type { ResolvedRedirection, Walk } from "./walk.js";
import { knownField, unknownField, type Field } from "./words/field.js";
import { absolutePath } from "./words/paths.js";
import { resolveText, resolveWord } from "./words/resolve-word.js";

/** Resolve the words of a simple command, then look into it. */
export function walkCommand(node: Command, scope: Scope, walk: Walk): void {
  if (walk.inner === 0) walk.at = { start: node.pos, end: node.end };
  const fields = (node.name === undefined ? [] : [node.name, ...node.args]).flatMap((word) =>
    word.type === "Word" ? resolveWord(word, scope, walk) : [assignmentField(word, scope, walk)],
  );
  const { redirections, stdin, strict } = walkRedirections(node.redirects, scope, walk);
  const set = node.prefix.filter((item) => item.type === "Assignment");
  const assignments = set.map((item) => assign(item, scope, walk));
  if (fields.length === 0) {
    for (const { name, value } of assignments) setVariable(name, value, scope);
    if (redirections.length > 0 || assignments.length > 0) walk.loose ||= !strict || assignments.length > 0;
    return;
  }
  walk.command({ fields, redirections, stdin, assignments: assignments.map(toVariable) }, scope);
}

interface Assigned {
  readonly name: string;
  readonly value: Value;
  readonly text: string;
}

function toVariable({ name, value, text }: Assigned): CommandVariable {
  return { name, value: text, known: value.text !== undefined };
}

/** The value that an assignment gives; nothing is set yet. */
function assign(node: Assignment, scope: Scope, walk: Walk): Assigned {
  const { name, value, append, index } = node;
  if (index !== undefined) {
    const at = resolveText(index, scope, walk);
    if (!/^\d*$/.test(at.text)) walk.unknown.add(`the index in ${node.text.slice(0, 40)}`);
    return { name, value: {}, text: node.text };
  }
  if (value.type === "ArrayValue") {
    const items = value.elements.flatMap((word) => resolveWord(word, scope, walk));
    const clear = append !== true && items.every(({ text, many }) => many !== true && !text.startsWith("["));
    return { name, value: clear ? { items } : {}, text: node.text };
  }
  const { text, known, taint } = resolveText(value, scope, walk);
  if (!known) return { name, value: { taint }, text };
  if (append !== true) return { name, value: { text, taint }, text };
  const before = scope.vars.get(name)?.text;
  const whole = before === undefined ? undefined : before + text;
  return {
    name,
    value: { text: whole !== undefined && whole.length < maxValueLength ? whole : undefined, taint },
    text,
  };
}

const maxValueLength = 16_384;

const maxVariables = 256;

/** Set a variable, and note where that changes what later commands are. */
export function setVariable(name: string, value: Value, scope: Scope): void {
  // Of one too many nothing is known, which is what leaving it out means.
  if (scope.vars.size < maxVariables || scope.vars.has(name) || /^(?:HOME|PWD|IFS)$/.test(name))
    scope.vars.set(name, value);
  if (isSteeringVariable(name)) scope.unreliable ??= `${name} was changed before it`;
}

function assignmentField(node: Assignment, scope: Scope, walk: Walk): Field {
  const { name, value, text } = assign(node, scope, walk);
  const sign = node.append === true ? "+=" : "=";
  if (value.text === undefined) return { ...unknownField(node.text, value.taint), many: false };
  return {
    ...knownField(`${name}${sign}${text}`),
    plain: node.value.type === "Word" && node.value.text === text,
  };
}

interface Redirected {
  readonly redirections: readonly ResolvedRedirection[];
  readonly stdin: Stdin;
  /** They keep to the strict fragment. */
  readonly strict: boolean;
}

/** Resolve redirections, note what they read and write, and return the new standard input. */
export function walkRedirections(nodes: readonly RedirectionNode[], scope: Scope, walk: Walk): Redirected {
  let { stdin } = scope;
  const redirections = nodes.map((node) => {
    const field = targetOf(node, scope, walk);
    const fd =
      node.descriptor === undefined
        ? undefined
        : String("name" in node.descriptor ? node.descriptor.name : node.descriptor.value);
    const redirection = { op: node.operator, target: field.text, known: field.known, field, fd };
    stdin = stdinOf(redirection, stdin, scope);
    noteFiles(redirection, scope, walk);
    const denied = denyRedirection(redirection, scope, walk.place);
    if (denied !== undefined) walk.denied ??= denied;
    return redirection;
  });
  const isEachStrict = redirections.every((one) => isStrict(one, scope, walk.place));
  const strict = scope.strict && isEachStrict;
  if (!isEachStrict) walk.loose = true;
  return { redirections, stdin, strict };
}

function targetOf(node: RedirectionNode, scope: Scope, walk: Walk): Field {
  if (node.type === "HereDoc") return heredocText(node, scope, walk);
  if (node.target === undefined) return unknownField("");
  if (node.type === "HereString") {
    const field = resolveText(node.target, scope, walk);
    return { ...field, text: `${field.text}\n` };
  }
  const fields = resolveWord(node.target, scope, walk);
  return fields.length === 1 ? fields[0]! : unknownField(node.target.text);
}

function stdinOf({ op, field, fd }: ResolvedRedirection, before: Stdin, scope: Scope): Stdin {
  if (!op.startsWith("<") || (fd !== undefined && fd !== "0")) {
    return op === ">&" && fd === "0" && scope.connections.has(field.text) ? connection : before;
  }
  if (op === "<&") return scope.connections.has(field.text) ? connection : before;
  if (op.startsWith("<<"))
    return { fed: true, taint: field.taint, sure: () => field.known, text: () => field.text };
  if (/^\/dev\/(?:tcp|udp)\//.test(field.text)) return connection;
  return { fed: field.text !== "/dev/null", taint: field.taint, text: () => undefined };
}

const connection: Stdin = { fed: true, network: true, taint: "fetched", text: () => undefined };

function noteFiles({ op, field, fd }: ResolvedRedirection, scope: Scope, walk: Walk): void {
  // `{name}>file` sets the variable.
  if (fd !== undefined && /^[A-Za-z_]/.test(fd)) setVariable(fd, {}, scope);
  if (/^\/dev\/(?:tcp|udp)\//.test(field.text) && fd !== undefined) scope.connections.add(fd);
  if (op.startsWith("<<") || /^(?:\d+-?|-)$/.test(field.text)) return;
  const writes = op !== "<" && op !== "<&";
  if (!field.known || field.pattern !== undefined) {
    if (writes) walk.unknown.add(`where it writes: ${field.text.slice(0, 80)}`);
    return;
  }
  for (const cwd of scope.cwds ?? [walk.place.workspace]) {
    const path = absolutePath(field.text, cwd);
    if (!path.startsWith("/dev/") || path.startsWith("/dev/shm/"))
      (writes ? walk.writes : walk.reads).add(path);
  }
}
