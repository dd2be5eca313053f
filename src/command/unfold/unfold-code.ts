import { reportCommand } from "../report-command.js";
import { vitalPlace } from "../judge/vital-paths.js";
import { isUnseen, knownField, type Field } from "../words/field.js";
import { runChild, type Unfolding } from "./unfolding.js";

/** Interpreters of other languages: their code stays unknown, but some things in it are easy to see. */
export function unfoldCode(unfolding: Unfolding): boolean {
  const { name, args, resolved, scope, walk } = unfolding;
  const codes = codeOf(name, args);
  for (const { text } of codes)
    for (const line of shellLines(text)) runChild(unfolding, line, name, { strict: false });
  const denied =
    codes.map((code) => denyCode(code, unfolding)).find((why) => why !== undefined) ??
    denyProgram(unfolding, codes.length > 0);
  if (denied === undefined) return false;
  reportCommand(resolved, scope, walk, { denied });
  return true;
}

const codeOptions: Readonly<Record<string, RegExp>> = {
  python: /^-[bBdEhiIOqsSuvVWxX]*c$/,
  pypy: /^-\w*c$/,
  perl: /^-\w*[eE]$/,
  ruby: /^-\w*e$/,
  node: /^(?:-e|-p|-pe|--eval|--print)$/,
  nodejs: /^(?:-e|-p|-pe|--eval|--print)$/,
  bun: /^(?:-e|--eval)$/,
  php: /^-r$/,
  lua: /^-e$/,
  luajit: /^-e$/,
  osascript: /^-e$/,
};

function codeOf(name: string, args: readonly Field[]): readonly Field[] {
  if (name.endsWith("awk")) {
    const at = args.findIndex(
      ({ text }, place) => !text.startsWith("-") && !/^-[Fvf]$/.test(args[place - 1]?.text ?? ""),
    );
    return at < 0 ? [] : [args[at]!];
  }
  if (name === "deno") return args[0]?.text === "eval" ? args.slice(1, 2) : [];
  const option = codeOptions[name.replace(/[\d.]+$/, "")];
  return args.flatMap(({ text }, at) => {
    if (option?.test(text) === true) return args.slice(at + 1, at + 2);
    const joined = /^(?:--eval=|-[ec])(?=.{3})/.exec(text);
    return joined === null || option === undefined
      ? []
      : [{ ...args[at]!, text: text.slice(joined[0].length) }];
  });
}

/** A program that comes from elsewhere, by a pipe or a substitution. */
function denyProgram({ args, resolved }: Unfolding, hasCode: boolean): string | undefined {
  const file = args.find(({ text }) => !text.startsWith("-") || text === "-");
  const module = args.some(({ text }) => /^-\w*m$/.test(text));
  const fed =
    !hasCode && !module && (file === undefined || file.text === "-" || /^\/dev\/stdin$/.test(file.text));
  const taint =
    fed && resolved.stdin.fed ? resolved.stdin.taint : !hasCode && args[0] === file ? file?.taint : undefined;
  return isUnseen(taint) ? "it runs code that nobody has seen" : undefined;
}

const connects =
  /\bsocket\b|fsockopen|TCPSocket|IO::Socket|net\.(?:connect|Socket|createConnection)|\/inet\/tcp/i;
const hands =
  /dup2|pty\.spawn|["'`/\s](?:ba|da|z|k)?sh\b["'`\s,]|\/bin\/(?:ba|da|z|k)?sh|cmd\.exe|powershell/i;
const forks =
  /while\s*\(?\s*(?:1|True|true)\s*\)?\s*[:{;]?\s*(?:os\.)?fork\s*\(|fork\s+while\s+fork|loop\s*\{\s*fork/;
const removes =
  /(?:rmtree|rm_rf|rm_r|remove_tree|rmSync|rmdirSync|rimraf(?:\.sync)?|fs\.(?:promises\.)?rm|removeSync)\s*\(?\s*(["'`])([^"'`]{1,200})\1/g;

function denyCode({ text, taint }: Field, { scope, walk }: Unfolding): string | undefined {
  if (isUnseen(taint)) return "it runs code that nobody has seen";
  if (connects.test(text) && hands.test(text)) return "it hands a shell to another machine";
  if (forks.test(text)) return "it starts itself over and over (a fork bomb)";
  const cwd = scope.likelyCwd;
  for (const [, , path = ""] of text.slice(0, maxLength).matchAll(removes)) {
    const vital = vitalPlace(knownField(path.replace(/^~(?=\/|$)/, () => walk.place.home)), cwd, walk.place);
    if (vital !== undefined) return `it deletes ${vital}`;
  }
  return undefined;
}

const maxLength = 65_536;
const quoted = String.raw`(["'\`])((?:\\.|(?!\1)[^\\])*)\1`;
const call = new RegExp(
  String.raw`(?:\bsystem|\bpopen|\bexec(?:Sync|l|lp|v|vp)?|\bspawn(?:Sync)?|\bcheck_output|\bcheck_call|subprocess\.(?:run|call)|\bPopen|\bgetoutput|\bshell_exec|\bpassthru|\bproc_open|os\.execute|do shell script)\s*\(?\s*` +
    quoted,
  "g",
);
const list = new RegExp(
  String.raw`(?:subprocess\.\w+|\bPopen|\b(?:execFile|spawn)(?:Sync)?)\s*\(\s*(?:\[|["'\`]([^"'\`]*)["'\`]\s*,\s*\[)([^\]]{0,2000})\]`,
  "g",
);

/** Lines that the code hands to a shell, where they stand in it as they are. */
function shellLines(code: string): readonly string[] {
  const text = code.slice(0, maxLength);
  const lines: string[] = [];
  for (const [, , line = ""] of text.matchAll(call))
    if (lines.length < maxLines) lines.push(line.replaceAll(/\\(["'`\\])/g, "$1"));
  for (const [, program, items = ""] of text.matchAll(list)) {
    const words = [...items.matchAll(new RegExp(quoted, "g"))].map(([, , word = ""]) => word);
    const all = program === undefined ? words : [program, ...words];
    if (all.length > 0 && lines.length < maxLines)
      lines.push(all.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" "));
  }
  return lines;
}

const maxLines = 16;
