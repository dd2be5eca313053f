// Gives the chunks that every command loads the form in which src/cli/compiled-code.ts loads them with the least work: as an expression that is the function of the
// module, so that its text need not be copied to add one, and in ASCII, which V8 keeps in half the memory. `require` runs the function at once.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";
import { shiftMappings } from "./break-lines.mjs";

const names = "exports, require, module, __filename, __dirname";
const before = `(typeof module === "undefined" ? (run) => run : (run) => run.call(exports, ${names}))(function (${names}) {\n`;
const after = "\n});\n";

/**
 * Pack some of the CommonJS modules in a folder, and adapt their source maps.
 * @param {string} dir
 * @param {RegExp} which
 */
export function packChunksIn(dir, which) {
  for (const name of readdirSync(dir)) {
    if (!name.endsWith(".cjs") || !which.test(name)) continue;
    const file = `${dir}/${name}`;
    const code = readFileSync(file, "utf8").replace(/\n$/, "");
    if (code.startsWith(before)) continue;
    const edits = toAscii(code);
    writeFileSync(file, `${before}${applyEdits(code, edits)}${after}`);
    const map = `${file}.map`;
    if (!existsSync(map)) continue;
    const parsed = JSON.parse(readFileSync(map, "utf8"));
    writeFileSync(
      map,
      JSON.stringify({ ...parsed, mappings: `;${shiftMappings(parsed.mappings, code, edits)}` }),
    );
  }
}

/**
 * Escapes for the characters beyond ASCII in strings, templates and regular expressions. Others, in comments, stay.
 * @param {string} code
 * @returns {{ at: number, text: string }[]} In the order of the code; each replaces one character.
 */
export function toAscii(code) {
  // oxlint-disable-next-line no-control-regex -- the range of ASCII
  const beyond = /[^\0-\x7f]/g;
  if (code.search(beyond) === -1) return [];
  const edits = [];
  for (const { start, end } of literalsIn(
    parseAst(code, { sourceType: "script", allowReturnOutsideFunction: true }),
  )) {
    for (const { index, 0: char } of code.slice(start, end).matchAll(beyond))
      // After a backslash an escape would mean something else.
      if (code[start + index - 1] !== "\\")
        edits.push({ at: start + index, text: `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` });
  }
  return edits.sort((one, other) => one.at - other.at);
}

/** A tag can read a template as it is written. */
function literalsIn(node, found = []) {
  if (Array.isArray(node)) for (const each of node) literalsIn(each, found);
  if (typeof node?.type !== "string") return found;
  if (node.type === "Literal" || node.type === "TemplateElement") found.push(node);
  const isTagged = node.type === "TaggedTemplateExpression";
  for (const child of isTagged ? [node.tag, ...node.quasi.expressions] : Object.values(node))
    if (typeof child === "object") literalsIn(child, found);
  return found;
}

function applyEdits(code, edits) {
  let packed = "";
  let from = 0;
  for (const { at, text } of edits) {
    packed += code.slice(from, at) + text;
    from = at + 1;
  }
  return packed + code.slice(from);
}
