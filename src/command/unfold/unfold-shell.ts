import { reportCommand } from "../report-command.js";
import { isConnector } from "../judge/deny-network.js";
import type { Field } from "../words/field.js";
import { denyUnseen, runChild, type Unfolding } from "./unfolding.js";

const judged = new Set(["sh", "bash", "dash", "ash", "ksh", "mksh", "rbash"]);

/** A shell: its `-c` argument, or its input, is walked like the line itself. */
export function unfoldShell(unfolding: Unfolding): boolean {
  const { name, args, resolved, scope, walk } = unfolding;
  if (!judged.has(name)) walk.unknown.add(`what ${name} makes of its words`);
  const { operands, letters, odd } = shellOptions(args);
  const [first, ...rest] = operands;
  if (odd) walk.unknown.add(`an option of ${name}`);
  if (letters.includes("c"))
    return first === undefined ? false : runScript(unfolding, first, { rest, letters });
  const reverse = toNetwork(unfolding);
  if (reverse !== undefined) return report(unfolding, reverse);
  if (first !== undefined && !letters.includes("s") && !/^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(first.text)) {
    return report(unfolding, denyUnseen(first.taint));
  }
  if (!resolved.stdin.fed) return false;
  const text = resolved.stdin.text();
  if (text !== undefined)
    runChild(unfolding, text, `| ${name}`, {
      strict: false,
      plainSh: name !== "bash",
      positional: first === undefined ? [] : rest,
    });
  const denied = denyUnseen(resolved.stdin.taint);
  const sure = text !== undefined && resolved.stdin.sure?.() === true;
  reportCommand(
    resolved,
    scope,
    walk,
    sure ? { denied } : { denied, why: "what it is fed is only known when it runs" },
  );
  return true;
}

function report({ resolved, scope, walk }: Unfolding, denied: string | undefined): boolean {
  if (denied === undefined) return false;
  reportCommand(resolved, scope, walk, { denied });
  return true;
}

/** A shell whose input or output is a connection. */
function toNetwork({ resolved, scope }: Unfolding): string | undefined {
  const connected = resolved.redirections.some(
    ({ op, target }) =>
      /^\/dev\/(?:tcp|udp)\//.test(target) || (/^[<>]&$/.test(op) && scope.connections.has(target)),
  );
  return connected || resolved.stdin.network === true || scope.readers.some(isConnector)
    ? "it hands a shell to another machine"
    : undefined;
}

interface ScriptWords {
  readonly rest: readonly Field[];
  readonly letters: string;
}

function runScript(unfolding: Unfolding, script: Field, { rest, letters }: ScriptWords): boolean {
  const { name, resolved, scope, walk } = unfolding;
  const positional = rest.slice(1).every(({ many }) => many !== true) ? rest.slice(1) : undefined;
  const steady = !/[ilsr]/.test(letters) && judged.has(name);
  runChild(unfolding, script.text, `${name} -c`, {
    strict: scope.strict && script.plain && steady,
    positional,
    plainSh: name !== "bash",
  });
  const denied = denyUnseen(script.taint) ?? toNetwork(unfolding);
  if (!script.known || denied !== undefined || !steady) {
    reportCommand(resolved, scope, walk, {
      denied,
      why: script.known ? undefined : "what it is given is only known when it runs",
    });
    return true;
  }
  // The shell only runs what was reported; its variables are set for that too.
  if (resolved.assignments.length > 0 || resolved.redirections.length > 0)
    reportCommand(resolved, scope, walk);
  return true;
}

/** The letters of the options, and the arguments after them. */
function shellOptions(args: readonly Field[]): {
  readonly operands: readonly Field[];
  readonly letters: string;
  readonly odd: boolean;
} {
  let letters = "";
  let odd = false;
  let at = 0;
  for (; at < args.length; at++) {
    const { text, known } = args[at]!;
    if (!known || !/^[-+]./.test(text)) break;
    if (text === "--") {
      at++;
      break;
    }
    if (text.startsWith("--")) {
      if (text === "--login") letters += "l";
      if (/^--(?:rcfile|init-file)$/.test(text)) at++;
      if (!/^--(?:login|norc|noprofile|posix|restricted|verbose|version|help)$/.test(text)) odd = true;
      continue;
    }
    const cluster = text.slice(1);
    if (text.startsWith("-")) letters += cluster.replaceAll(/[oO]/g, "");
    at += cluster.length - cluster.replaceAll(/[oO]/g, "").length;
  }
  // A lone dash ends the options, too.
  if (args[at]?.text === "-" && letters.includes("c")) at++;
  return { operands: args.slice(at), letters, odd };
}
