/** What `echo` prints; where shells differ about escapes, they are decoded. */
export function echoText(args: readonly string[]): string {
  let at = 0;
  let newline = "\n";
  let escapes = false;
  for (; at < args.length && /^-[neE]+$/.test(args[at]!); at++) {
    if (args[at]!.includes("n")) newline = "";
    if (args[at]!.includes("e")) escapes = true;
  }
  const text = args.slice(at).join(" ");
  return (escapes ? unescapeText(text) : text) + newline;
}

/** What `printf` prints with formats of `%s`, `%b` and `%d`; `undefined` with any other. */
export function printfText(args: readonly string[]): string | undefined {
  const [first, ...rest] = args[0] === "--" ? args.slice(1) : args;
  if (first === undefined || first.startsWith("-")) return undefined;
  if (/%[^sbd%]/.test(first)) return undefined;
  let at = 0;
  let text = "";
  do {
    text += unescapeText(first).replaceAll(/%([sbd%])/g, (_, kind: string) => {
      if (kind === "%") return "%";
      const value = rest[at++] ?? "";
      return kind === "b" ? unescapeText(value) : value;
    });
    if (!/%[sbd]/.test(first) || text.length > maxLetters) break;
  } while (at < rest.length);
  return text;
}

const maxLetters = 65_536;

/** Text from base64, blanks and all. */
export function decodeBase64(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}

/** Text from hexadecimal digits. */
export function decodeHex(text: string): string {
  return Buffer.from(text.replaceAll(/\s+/g, ""), "hex").toString("utf8");
}

/** What `tr` makes of its input with two plain sets, or `-d` and one. */
export function translate(args: readonly string[], input: string): string | undefined {
  const drop = args[0] === "-d";
  const [from, to] = (drop ? args.slice(1) : args).map(toSet);
  if (from === undefined || (!drop && (to === undefined || to.length === 0)) || args.length > 2)
    return undefined;
  let text = "";
  for (const letter of input) {
    const at = from.indexOf(letter);
    if (at < 0) text += letter;
    else if (!drop) text += to![Math.min(at, to!.length - 1)];
  }
  return text;
}

function toSet(spec: string): readonly string[] | undefined {
  if (/^-|\[/.test(spec)) return undefined;
  const letters: string[] = [];
  const plain = Array.from(unescapeText(spec));
  for (let at = 0; at < plain.length; at++) {
    const end = plain[at + 1] === "-" ? plain[at + 2] : undefined;
    if (end === undefined) letters.push(plain[at]!);
    else {
      for (let code = plain[at]!.charCodeAt(0); code <= end.charCodeAt(0) && letters.length < 512; code++)
        letters.push(String.fromCharCode(code));
      at += 2;
    }
  }
  return letters;
}

const simple: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\u001B",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** Decode `\n`, `\x72`, `\162`, `\u0072` and their like. */
function unescapeText(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(
    /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|(0?[0-7]{1,3})|([^]))/g,
    (whole, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      const digits = hex ?? short ?? long;
      if (digits !== undefined) return fromCode(Number.parseInt(digits, 16));
      if (octal !== undefined) return fromCode(Number.parseInt(octal, 8));
      return simple[letter ?? ""] ?? whole;
    },
  );
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
