import * as fc from "fast-check";

/** Programs that only exist in the test: each writes down how it was called. */
export const shims = ["aa", "bb", "cc"] as const;

const name: fc.Arbitrary<string> = fc.constantFrom(...shims);
const variable = fc.constantFrom("v", "w");
const plain = fc.constantFrom("x", "y1", "-o", "a=b", "z/z", "1", "--long=q", "é", "#n", ".", "%");

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const doubleQuote = (text: string): string => `"${text.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"`;

interface Shell {
  readonly word: string;
  readonly simple: string;
  readonly pipeline: string;
  readonly command: string;
  readonly list: string;
}

/** Shell lines of all kinds that end, and start nothing but the shims and harmless wrappers. */
export const { list: shellLine } = fc.letrec<Shell>((loose) => {
  const tie = (part: keyof Shell): fc.Arbitrary<string> => loose(part) as fc.Arbitrary<string>;
  const word = fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: plain, weight: 8 },
    { arbitrary: plain.map(quote), weight: 2 },
    { arbitrary: fc.tuple(plain, plain).map(([one, other]) => `"${one}"${other}''`), weight: 1 },
    { arbitrary: plain.map((text) => `\\${text}`), weight: 1 },
    {
      arbitrary: fc.constantFrom(
        "$'\\x71\\t'",
        "$'a\\'b'",
        '"a b"',
        "f*",
        "'f*'",
        "~+",
        '"$*"',
        "$@",
        '"$@"',
        "$1",
      ),
      weight: 2,
    },
    { arbitrary: fc.tuple(plain, plain).map(([one, other]) => `{${one},${other}}q`), weight: 1 },
    { arbitrary: fc.constantFrom("{1..3}", "p{a,b{c,d}}", "{a}", "{,x}", "a{b"), weight: 1 },
    { arbitrary: variable.map((one) => `$${one}`), weight: 2 },
    { arbitrary: variable.map((one) => `"<$${one}>"`), weight: 1 },
    { arbitrary: fc.tuple(variable, plain).map(([one, other]) => `\${${one}:-${other}}`), weight: 1 },
    {
      arbitrary: variable.map((one) => `\${${one}^^}\${#${one}}\${${one}:0:1}\${${one}/x/q}\${${one}%x}`),
      weight: 1,
    },
    { arbitrary: tie("list").map((list) => `$(${list})`), weight: 1 },
    { arbitrary: tie("simple").map((simple) => `"\`${simple.replaceAll(/[`\\$"]/g, "")}\`"`), weight: 1 },
    { arbitrary: fc.constantFrom("$(echo k)", '"$(printf %s m n)"', "$((1+2))", "$(echo b k)"), weight: 1 },
    { arbitrary: tie("simple").map((simple) => `<(${simple})`), weight: 1 },
  );
  const words = fc.array(word, { maxLength: 3 }).map((all) => all.join(" "));
  const redirection = fc.oneof(
    fc.constantFrom("", "", "", "", "", ">/dev/null", "2>&1", "2>/dev/null", "<&-"),
    word.map((one) => `<<< ${one}`),
  );
  const assignment = fc
    .tuple(variable, fc.oneof(plain, name, fc.constantFrom("'aa x'", "", "'a  b'")))
    .map(([one, value]) => `${one}=${value}`);
  const called = fc.oneof(
    { arbitrary: name, weight: 6 },
    { arbitrary: name.map((one) => `${one[0]}''${one[1]}`), weight: 1 },
    { arbitrary: name.map((one) => `\\${one}`), weight: 1 },
    { arbitrary: variable.map((one) => `$${one}`), weight: 1 },
    {
      arbitrary: fc
        .constantFrom(
          "command",
          "env",
          "nice",
          "timeout 5",
          "command -p",
          "env q=1",
          "env -u q",
          "exec",
          "builtin command",
          "stdbuf -o0",
          "setsid -w",
        )
        .chain((wrapper) => name.map((one) => `${wrapper} ${one}`)),
      weight: 3,
    },
    { arbitrary: fc.constantFrom("f1", "f2"), weight: 1 },
  );
  const simple = fc.oneof(
    { depthSize: "small" },
    { arbitrary: fc.tuple(called, words, redirection).map((all) => all.join(" ")), weight: 10 },
    { arbitrary: fc.tuple(assignment, called, words).map((all) => all.join(" ")), weight: 1 },
    { arbitrary: assignment, weight: 2 },
    {
      arbitrary: fc
        .tuple(
          fc.constantFrom("eval ", "sh -c ", "bash -c ", "bash -ec ", "bash -o pipefail -c "),
          tie("list"),
          fc.boolean(),
        )
        .map(([start, list, double]) => start + (double ? doubleQuote(list) : quote(list))),
      weight: 2,
    },
    {
      arbitrary: fc
        .tuple(name, words)
        .map(([one, rest]) => `find . -maxdepth 0 -exec ${one} ${rest.replaceAll(/[;+]/g, "")} {} \\;`),
      weight: 1,
    },
    { arbitrary: fc.tuple(plain, name).map(([one, other]) => `echo ${one} | xargs ${other}`), weight: 1 },
    { arbitrary: tie("list").map((list) => `echo ${quote(list)} | bash`), weight: 1 },
    {
      arbitrary: fc
        .tuple(tie("list"), fc.boolean())
        .map(([list, quoted]) => `bash <<${quoted ? "'E'" : "E"}\n${list}\nE\n`),
      weight: 1,
    },
    { arbitrary: fc.tuple(variable, word).map(([one, other]) => `export ${one}=${other}`), weight: 1 },
    {
      arbitrary: fc.constantFrom(
        "set -- p q",
        "shift",
        "unset v",
        "read v <<< 'bb 1'",
        "true",
        "false",
        ":",
        "cd .",
        "IFS=,",
        "local v=1",
        "declare w=cc",
        "printf -v v aa",
        "v+=x",
        "w=(aa b)",
        "trap 'aa t' EXIT",
      ),
      weight: 2,
    },
  );
  const pipeline = fc.oneof(
    { arbitrary: tie("command"), weight: 4 },
    {
      arbitrary: fc
        .tuple(tie("command"), fc.constantFrom("|", "|&"), tie("command"))
        .map((all) => all.join(" ")),
      weight: 1,
    },
    { arbitrary: tie("command").map((one) => `! ${one}`), weight: 1 },
  );
  const command = fc.oneof(
    { depthSize: "small" },
    { arbitrary: simple, weight: 8 },
    { arbitrary: tie("list").map((list) => `(${list}\n)`), weight: 1 },
    { arbitrary: tie("list").map((list) => `{ ${list}\n}`), weight: 1 },
    {
      arbitrary: fc
        .tuple(tie("list"), tie("list"), tie("list"))
        .map(([one, two, three]) => `if ${one}\nthen ${two}\nelse ${three}\nfi`),
      weight: 1,
    },
    {
      arbitrary: fc
        .tuple(variable, words, tie("list"))
        .map(([one, two, three]) => `for ${one} in ${two}; do ${three}\ndone`),
      weight: 1,
    },
    {
      arbitrary: fc
        .tuple(word, plain, tie("list"), tie("list"))
        .map(([one, two, three, four]) => `case ${one} in ${two}) ${three}\n;; *) ${four}\n;; esac`),
      weight: 1,
    },
    { arbitrary: tie("list").map((list) => `while ${list}\nfalse; do aa never; done`), weight: 1 },
    {
      arbitrary: fc
        .tuple(fc.constantFrom("f1", "f2"), tie("list"))
        .map(([one, list]) => `${one}() { ${list}\n}`),
      weight: 1,
    },
    { arbitrary: word.map((one) => `[[ -n ${one} ]]`), weight: 1 },
  );
  const list = fc
    .array(fc.tuple(tie("pipeline"), fc.constantFrom("\n", "\n", " && ", " || ", "\n", " & \n")), {
      minLength: 1,
      maxLength: 3,
    })
    .map((all) => all.map(([one, end], at) => one + (at < all.length - 1 ? end : "")).join(""));
  return { word, simple, pipeline, command, list };
});
