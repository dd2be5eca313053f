import { once } from "../contract/once.js";
import { languageExtensions, languageFileNames, languageInterpreters } from "./language-table.js";

/**
 * The language of a file by its name and, where the name leaves a doubt, by how its text begins;
 * "plaintext" for text of no known language.
 *
 * @example
 * detectLanguage("src/app.ts"); // "typescript"
 */
export function detectLanguage(path: string, head = ""): string {
  return detectFrom(path, head) ?? "plaintext";
}

/** The language that a name alone tells, or `undefined`. */
export function languageOfName(path: string): string | undefined {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const whole = tables().names.get(name);
  if (whole !== undefined) return whole;
  if (/^\.env\..|^Dockerfile\../.test(name)) return name.startsWith(".") ? "dotenv" : "dockerfile";
  // The longest ending wins: "d.ts" before "ts".
  for (let dot = name.indexOf(".", 1); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const language = tables().extensions.get(name.slice(dot + 1).toLowerCase());
    if (language !== undefined) return language;
  }
  return undefined;
}

function detectFrom(path: string, head: string): string | undefined {
  const named = languageOfName(path);
  const doubts = named === undefined ? undefined : rivals.get(named);
  if (head === "") return named;
  if (doubts !== undefined) {
    const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
    const rival = doubts.find((doubt) => doubt.endings.includes(ending) && doubt.signs.test(head));
    if (rival !== undefined) return rival.language;
  }
  return named ?? modeLine(head) ?? shebang(head) ?? opening(head);
}

interface Rival {
  readonly endings: readonly string[];
  readonly signs: RegExp;
  readonly language: string;
}

/** Endings that several languages share, and what gives the rarer one away. */
const rivals: ReadonlyMap<string, readonly Rival[]> = new Map([
  [
    "c",
    [
      { endings: ["h"], signs: /^\s*(?:@interface|@protocol|@class|#import)\b/m, language: "objective-c" },
      {
        endings: ["h"],
        signs:
          /^\s*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected):)|\bstd::/m,
        language: "cpp",
      },
    ],
  ],
  ["typescript", [{ endings: ["ts"], signs: /^\s*<(?:\?xml|TS)\b/, language: "xml" }]],
  [
    "objective-c",
    [{ endings: ["m"], signs: /^\s*(?:%|function\b[^\n;{]{0,200}$|end\s*$)/m, language: "matlab" }],
  ],
  ["perl", [{ endings: ["pl"], signs: /^\s*:-|^[a-z]\w*\([^\n]{0,200}\)\s*:-/m, language: "prolog" }]],
  ["r", [{ endings: ["r"], signs: /^\s*Rebol\b/i, language: "rebol" }]],
]);

/** `-*- mode: python -*-` and `vim: ft=python`. */
function modeLine(head: string): string | undefined {
  const lines = head.split("\n", 3).join("\n").slice(0, 1000);
  const mode =
    /-\*-\s*(?:[^\n]{0,100}\bmode:\s*)?([\w+#-]+)\s*;?[^\n]{0,100}-\*-/i.exec(lines)?.[1] ??
    /\bvim?:[^\n]{0,100}\b(?:ft|filetype)=(\w+)/.exec(lines)?.[1];
  if (mode === undefined) return undefined;
  return tables().languages.has(mode.toLowerCase()) ? mode.toLowerCase() : undefined;
}

function shebang(head: string): string | undefined {
  const line = /^#!\s*(\S+)([^\n]{0,200})/.exec(head);
  if (line === null) return undefined;
  const program = baseName(line[1] ?? "");
  const words = (line[2] ?? "").trim().split(/\s+/);
  const real =
    program === "env" ? baseName(words.find((word) => !/^-|=/.test(word) && word !== "") ?? "") : program;
  const known = tables().interpreters;
  return known.get(real) ?? known.get(real.replace(/[\d.]+$/, ""));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function opening(head: string): string | undefined {
  const start = head.slice(0, 500).trimStart();
  if (/^<\?xml\b/.test(start)) return "xml";
  if (/^<!doctype html|^<html\b/i.test(start)) return "html";
  if (/^<\?php\b/.test(start)) return "php";
  if (/^(?:diff --git |--- \S[^\n]*\n\+\+\+ )/.test(start)) return "diff";
  return /^\{\s*"|^\[\s*[{"[]/.test(start) ? "json" : undefined;
}

interface Tables {
  readonly extensions: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, string>;
  readonly interpreters: ReadonlyMap<string, string>;
  readonly languages: ReadonlySet<string>;
}

/** The tables, taken apart when they are first needed. */
const tables = once((): Tables => {
  const extensions = toMap(languageExtensions);
  const names = toMap(languageFileNames);
  const interpreters = toMap(languageInterpreters);
  const languages = new Set([...extensions.values(), ...names.values(), ...interpreters.values()]);
  return { extensions, names, interpreters, languages };
});

function toMap(lines: readonly string[]): Map<string, string> {
  const groups = lines.flatMap((line) => line.split(";")).map((group) => group.split("=", 2));
  return new Map(groups.flatMap(([id = "", keys = ""]) => keys.split(" ").map((key) => [key, id] as const)));
}
