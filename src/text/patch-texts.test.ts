import { expect, it } from "vitest";
import { ToolValidationError } from "../contract/errors.js";
import { encodeText } from "./encode-text.js";
import { createLooseFold } from "./fold-punctuation.js";
import { foldLine, trimTrailing, type FoldKind } from "./fold-text.js";
import { quoteGitPath, unquoteGitPath } from "./git-path.js";
import { unwrapPatch } from "./unwrap-patch.js";

const patch = "*** Begin Patch\nx\n*** End Patch\n";

it.each([
  ["as it is", patch],
  ["without its last line end", patch.trimEnd()],
  ["with blank lines around it", `\uFEFF\n \n${patch}\n\t\n`],
  ["in a fence", `\`\`\`diff\n\n${patch}\n\`\`\`  `],
  ["in a fence of tildes", `~~~\n${patch}~~~`],
  ["in a heredoc", `apply_patch <<'EOF'\n${patch}EOF`],
  ["in a heredoc without its command", `<<EOF\n\n${patch}\nEOF\n`],
  ["in a heredoc with tabs", `<<- "END.1"\n${patch}  END.1`],
  ["in a heredoc in a fence", `\`\`\`sh\n apply_patch <<EOF \n${patch}EOF\n\`\`\``],
])("a patch is taken out of what stands around it: %s", (_, text) => {
  expect(unwrapPatch(text)).toBe(patch);
});

it.each([
  ["", "\n"],
  ["```", "```\n"],
  ["```\nx", "```\nx\n"],
  ["x\n```", "x\n```\n"],
  ["```\nx\n```js", "```\nx\n```js\n"],
  ["\n  x\n", "  x\n"],
  ["cat <<EOF\nx\nEOF", "cat <<EOF\nx\nEOF\n"],
  ["<<'EOF\nx\nEOF", "<<'EOF\nx\nEOF\n"],
])("what is not around a patch stays: %j", (text, result) => {
  expect(unwrapPatch(text)).toBe(result);
});

it("a heredoc has to end", () => {
  expect(() => unwrapPatch("<<EOF\nx\nEND")).toThrow(ToolValidationError);
  expect(() => unwrapPatch("<<EOF\nx\nEND")).toThrow(
    'The patch begins with the heredoc mark "EOF" but does not end with it.',
  );
  expect(() => unwrapPatch("<<EOF\nx\nEND")).toThrow(
    expect.objectContaining({
      code: "VALUE_INVALID",
      hint: expect.stringContaining("from '*** Begin Patch' to '*** End Patch'"),
    }),
  );
});

it.each([
  ["plain é name", "plain é name"],
  ["a\tb", '"a\\tb"'],
  ['a"b\\', '"a\\"b\\\\"'],
  ["\u0001\u0007\b\n\v\f\r\u001F\u007F", '"\\001\\a\\b\\n\\v\\f\\r\\037\\177"'],
  ["é\n", '"é\\n"'],
])("the name %j is written as %s, and read again", (name, written) => {
  expect(quoteGitPath(name)).toBe(written);
  expect(unquoteGitPath(written.startsWith('"') ? written : `"${written}"`)).toBe(name);
});

it("reads names as git quotes them", () => {
  expect(unquoteGitPath('"\\303\\251\\7.txt" rest')).toBe("é\u0007.txt");
  expect(unquoteGitPath('"\\q"')).toBe("q");
  expect(unquoteGitPath('"\\501"')).toBe("A");
  expect([unquoteGitPath("a"), unquoteGitPath('"a'), unquoteGitPath('x"a"'), unquoteGitPath('""')]).toEqual([
    undefined,
    undefined,
    undefined,
    "",
  ]);
});

it.each<[FoldKind, string, string]>([
  ["invisible", "a\u200Bb\uFEFF\u00ADc\u2060\u202A\u2066", "abc"],
  ["invisible", "a\u00A0b\u3000c\u2003d", "a b c d"],
  ["quotes", "“x” ‘y’ «z» ´`′″›", '\'x\' "y" \'z\' """""'],
  ["dashes", "a–b—c−d…", "a-b-c-d..."],
  ["normal-form", "e\u0301", "é"],
  ["look-alike", "Аο", "Ao"],
  ["look-alike", "ＡＢ①", "AB1"],
  ["escapes", "a\\nb", "anb"],
  ["case", "ABC", "abc"],
  ["trailing", "a \t\r", "a"],
  ["indentation", "\t  a", "a"],
  ["blanks", "a  b", "a b"],
])("the kind %s makes %j and %j alike, and no other kind does", (kind, one, other) => {
  expect(foldLine(one)).toBe(foldLine(other));
  expect(foldLine(one, kind)).not.toBe(foldLine(other, kind));
});

it("trims blanks of all kinds at the end only", () => {
  expect(["", " ", " a\t\f\v\r ", "a\u00A0", "a b"].map(trimTrailing)).toEqual([
    "",
    "",
    " a",
    "a\u00A0",
    "a b",
  ]);
  const plain = createLooseFold((text) => text);
  expect(plain(" ‐‑‒–—―− ‘’‚‛ “”„‟ \u00A0\u2002\u200A\u202F\u205F\u3000. \u3000 ")).toBe(
    ` ------- '''' """" ${" ".repeat(6)}.`,
  );
  expect(plain("\tAé\u200B…  ")).toBe("\tAé\u200B…");
});

it.each<[string, string | undefined, string | undefined]>([
  ["é", "utf8", "c3a9"],
  ["é", undefined, "c3a9"],
  ["é", "auto", "c3a9"],
  ["é", "utf16le", "e900"],
  ["é", "utf16be", "00e9"],
  ["é", "latin1", "e9"],
  ["文", "latin1", undefined],
  ["?", "latin1", "3f"],
  ["\uD800", "utf8", undefined],
  ["\uD800", "utf16le", undefined],
  ["a", "iso-2022-jp", undefined],
  ["日", "shift_jis", "93fa"],
])("%j is written in %s as %s", (text, encoding, hex) => {
  expect(encodeText(text, encoding) && Buffer.from(encodeText(text, encoding) ?? []).toString("hex")).toBe(
    hex,
  );
});

it("begins with a byte order mark only where that is asked for and there is one", () => {
  const hex = (encoding: string, bom?: boolean) =>
    Buffer.from(encodeText("a", encoding, bom === undefined ? {} : { bom }) ?? []).toString("hex");
  expect([
    hex("utf8", true),
    hex("utf8", false),
    hex("utf8"),
    hex("latin1", true),
    hex("utf16be", true),
  ]).toEqual(["efbbbf61", "61", "61", "61", "feff0061"]);
});
