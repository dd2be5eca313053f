import { reportCommand } from "../report-command.js";
import { isConnector } from "../judge/deny-network.js";
import { carryOver, forget, forkScope } from "../scope.js";
import { isUnseen } from "../words/field.js";
import type { Field, Taint } from "../words/field.js";
import { runChild, runText, runWords } from "./unfolding.js";
import type { Unfolding } from "./unfolding.js";

const judged = new Set(["sh", "bash", "dash", "ash", "ksh", "mksh", "rbash"]);

/** A shell: what it is given with `-c`, or reads from its input, is walked like the line itself. */
export function unfoldShell(unfolding: Unfolding): boolean {
  const { name, args, draft, scope, walk } = unfolding;
  if (!judged.has(name)) walk.unknown.add(`what ${name} makes of its words`);
  const { operands, letters, odd } = shellOptions(args);
  const [first, ...rest] = operands;
  if (odd) walk.unknown.add(`an option of ${name}`);
  if (letters.includes("c"))
    return first === undefined ? false : runScript(unfolding, first, { rest, letters });
  const reverse = toNetwork(unfolding);
  if (reverse !== undefined) return report(unfolding, reverse);
  if (first !== undefined && !letters.includes("s") && !/^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(first.text)) {
    return report(unfolding, unseen(first.taint));
  }
  if (!draft.stdin.fed) return false;
  const text = draft.stdin.text();
  if (text !== undefined)
    runChild(unfolding, text, `| ${name}`, {
      strict: false,
      plainSh: name !== "bash",
      positional: first === undefined ? [] : rest,
    });
  const denied = unseen(draft.stdin.taint);
  const sure = text !== undefined && draft.stdin.sure?.() === true;
  reportCommand(
    draft,
    scope,
    walk,
    sure ? { denied } : { denied, why: "what it is fed is only known when it runs" },
  );
  return true;
}

function report({ draft, scope, walk }: Unfolding, denied: string | undefined): boolean {
  if (denied === undefined) return false;
  reportCommand(draft, scope, walk, { denied });
  return true;
}

function unseen(taint: Taint | undefined): string | undefined {
  if (!isUnseen(taint)) return undefined;
  return taint === "fetched"
    ? "it runs code from another machine that nobody has seen"
    : "it runs decoded code that nobody has seen";
}

/** A shell whose input or output is a connection. */
function toNetwork({ draft, scope }: Unfolding): string | undefined {
  const connected = draft.redirections.some(
    ({ op, target }) =>
      /^\/dev\/(?:tcp|udp)\//.test(target) || (/^[<>]&$/.test(op) && scope.connections.has(target)),
  );
  return connected || draft.stdin.network === true || scope.readers.some(isConnector)
    ? "it hands a shell to another machine"
    : undefined;
}

interface ScriptWords {
  readonly rest: readonly Field[];
  readonly letters: string;
}

function runScript(unfolding: Unfolding, script: Field, { rest, letters }: ScriptWords): boolean {
  const { name, draft, scope, walk } = unfolding;
  const positional = rest.slice(1).every(({ many }) => many !== true) ? rest.slice(1) : undefined;
  const steady = !/[ilsr]/.test(letters) && judged.has(name);
  runChild(unfolding, script.text, `${name} -c`, {
    strict: scope.strict && script.plain && steady,
    positional,
    plainSh: name !== "bash",
  });
  const denied = unseen(script.taint) ?? toNetwork(unfolding);
  if (!script.known || denied !== undefined || !steady) {
    reportCommand(draft, scope, walk, {
      denied,
      why: script.known ? undefined : "what it is given is only known when it runs",
    });
    return true;
  }
  // The shell is only there to run what was reported; what is set for it is set for that too.
  if (draft.assignments.length > 0 || draft.redirections.length > 0) reportCommand(draft, scope, walk);
  return true;
}

/** The letters of the options, and what follows them. */
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

/** Builtins and programs that are given text to run. */
export function unfoldText(unfolding: Unfolding): boolean {
  const { name, args, draft, scope, walk } = unfolding;
  switch (name) {
    case "eval":
      return runEval(unfolding);
    case "source":
    case ".": {
      const file = args.find(({ text }) => text !== "--");
      const stdin = file !== undefined && /^\/dev\/(?:stdin|fd\/0)$/.test(file.text);
      const text = stdin ? draft.stdin.text() : undefined;
      if (text !== undefined) runText(unfolding, text, name, { strict: false });
      const denied = unseen(stdin ? draft.stdin.taint : file?.taint);
      reportCommand(draft, scope, walk, { denied, why: "what it sources is only known when it runs" });
      return true;
    }
    case "trap": {
      const action = args.find(({ text }) => text !== "--");
      if (action === undefined || args.length < 2 || /^(?:-[lp]|-)?$/.test(action.text)) return false;
      const inner = forkScope(scope, { strict: false, cwds: undefined });
      forget(inner, "all");
      runText({ scope: inner, walk }, action.text, "trap");
      if (!action.known) walk.unknown.add("what a trap runs");
      return false;
    }
    case "alias":
      for (const { text } of args.filter((field) => field.text.includes("=")))
        runText(
          { scope: forkScope(scope, { strict: false }), walk },
          text.slice(text.indexOf("=") + 1),
          "alias",
          { strict: false },
        );
      return false;
    case "watch":
      return runJoined(unfolding);
    default:
      return runOptionText(unfolding);
  }
}

function runEval(unfolding: Unfolding): boolean {
  const { args, draft, scope, walk } = unfolding;
  const words = args[0]?.text === "--" ? args.slice(1) : args;
  const taint = words.map((field) => field.taint).find(isUnseen);
  const sure = words.every(({ known, pattern }) => known && pattern === undefined);
  const inner = runText(unfolding, words.map(({ text }) => text).join(" "), "eval", {
    strict: scope.strict && words.every(({ plain }) => plain),
  });
  carryOver(scope, inner);
  if (sure && taint === undefined) return true;
  forget(scope, "all");
  scope.cwds = undefined;
  scope.poison ??= "what was evaluated before it is only known when it runs";
  reportCommand(draft, scope, walk, {
    denied: unseen(taint),
    why: "what it evaluates is only known when it runs",
  });
  return true;
}

/** Programs that hand their words to a shell as one text. */
function runJoined(unfolding: Unfolding): boolean {
  const start = unfolding.args.findIndex(
    ({ text }, at, all) => !text.startsWith("-") && !/^-\w*[nq]$/.test(all[at - 1]?.text ?? ""),
  );
  if (start >= 0) {
    const text = unfolding.args
      .slice(start)
      .map((field) => field.text)
      .join(" ");
    runChild(unfolding, text, unfolding.name, { strict: false });
  }
  return false;
}

/** `su -c text`, `script -c text`, `flock file -c text`, `flock file command`. */
function runOptionText(unfolding: Unfolding): boolean {
  const { name, args } = unfolding;
  const at = args.findIndex(({ text }) => /^(?:-\w*c|--command|--call|--session-command)$/.test(text));
  const joined = args.find(({ text }) => /^--(?:command|call|session-command)=/.test(text));
  const text =
    at >= 0 ? args[at + 1] : joined && { ...joined, text: joined.text.slice(joined.text.indexOf("=") + 1) };
  if (text !== undefined) runChild(unfolding, text.text, `${name} -c`, { strict: false });
  else if (name === "flock" || name === "runuser") {
    const words = args.filter(
      (field, place) => !field.text.startsWith("-") && !/^-[wEug]$/.test(args[place - 1]?.text ?? ""),
    );
    const command = name === "flock" ? words.slice(1) : words;
    const from = command[0] === undefined ? -1 : args.indexOf(command[0]);
    if (from >= 0) runWords(unfolding, args.slice(from), { strict: false });
  }
  return false;
}
