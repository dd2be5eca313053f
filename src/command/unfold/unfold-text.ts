import { reportCommand } from "../report-command.js";
import { carryOver, forget, forkScope } from "../scope.js";
import { isUnseen } from "../words/field.js";
import { denyUnseen, runChild, runText, runWords, type Unfolding } from "./unfolding.js";

/** Builtins and programs that are given text to run. */
export function unfoldText(unfolding: Unfolding): boolean {
  const { name, args, resolved, scope, walk } = unfolding;
  switch (name) {
    case "eval":
      return runEval(unfolding);
    case "source":
    case ".": {
      const file = args.find(({ text }) => text !== "--");
      const stdin = file !== undefined && /^\/dev\/(?:stdin|fd\/0)$/.test(file.text);
      const text = stdin ? resolved.stdin.text() : undefined;
      if (text !== undefined) runText(unfolding, text, name, { strict: false });
      const denied = denyUnseen(stdin ? resolved.stdin.taint : file?.taint);
      reportCommand(resolved, scope, walk, { denied, why: "what it sources is only known when it runs" });
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
  const { args, resolved, scope, walk } = unfolding;
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
  scope.unreliable ??= "what was evaluated before it is only known when it runs";
  reportCommand(resolved, scope, walk, {
    denied: denyUnseen(taint),
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
