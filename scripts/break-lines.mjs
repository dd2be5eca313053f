// Breaks the lines of minified files between statements. Node prints the line that an uncaught error comes from, which
// would be many kilobytes in front of the message.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";

const maxLength = 400;

/**
 * Break the lines of all programs in a folder, and adapt their source maps.
 * @param {string} dir
 */
export function breakLinesIn(dir) {
  for (const name of readdirSync(dir)) {
    if (!/\.c?js$/.test(name)) continue;
    const file = `${dir}/${name}`;
    const code = readFileSync(file, "utf8");
    const breaks = findBreaks(code, name.endsWith(".cjs") ? "script" : "module");
    if (breaks.length === 0) continue;
    const starts = [0, ...breaks];
    writeFileSync(file, starts.map((start, at) => code.slice(start, starts[at + 1])).join("\n"));
    const map = `${file}.map`;
    if (!existsSync(map)) continue;
    const parsed = JSON.parse(readFileSync(map, "utf8"));
    writeFileSync(map, JSON.stringify({ ...parsed, mappings: splitMappings(parsed.mappings, code, breaks) }));
  }
}

/**
 * Where lines that are too long can be broken: before statements of a block and members of a class.
 * @param {string} code
 * @param {"script" | "module"} sourceType
 * @returns {number[]} In the order of the code.
 */
export function findBreaks(code, sourceType = "script") {
  const places = [];
  collectStatements(parseAst(code, { sourceType, allowReturnOutsideFunction: true }), places);
  places.sort((one, other) => one - other);
  const breaks = [];
  let lineStart = 0;
  for (const [at, place] of places.entries()) {
    const newline = code.lastIndexOf("\n", place - 1) + 1;
    lineStart = Math.max(lineStart, newline);
    const next = places[at + 1] ?? code.length;
    if (place > lineStart && next - lineStart > maxLength) {
      breaks.push(place);
      lineStart = place;
    }
  }
  return breaks;
}

/** In these, a line may end before each item of `body`. */
const lists = new Set(["Program", "BlockStatement", "ClassBody", "StaticBlock"]);

function collectStatements(node, places) {
  if (Array.isArray(node)) for (const each of node) collectStatements(each, places);
  if (typeof node?.type !== "string") return;
  if (lists.has(node.type)) for (const { start } of node.body) places.push(start);
  for (const key of Object.keys(node))
    if (typeof node[key] === "object") collectStatements(node[key], places);
}

/**
 * The mappings of a source map after its lines were broken. Only the columns in the generated file change: they are the first
 * number of a segment and count from the start of a line; the others count on.
 * @param {string} mappings
 * @param {string} code Before.
 * @param {readonly number[]} breaks
 */
export function splitMappings(mappings, code, breaks) {
  const lines = mappings.split(";");
  let lineStart = 0;
  let next = 0;
  return lines
    .map((line) => {
      const newline = code.indexOf("\n", lineStart);
      const lineEnd = newline === -1 ? code.length : newline;
      let written = "";
      let from = 0;
      let column = 0;
      let last = 0;
      let isFirst = true;
      const breakUntil = (end) => {
        while (next < breaks.length && breaks[next] < lineEnd && breaks[next] - lineStart <= end) {
          from = breaks[next++] - lineStart;
          last = 0;
          isFirst = true;
          written += ";";
        }
      };
      for (const segment of line === "" ? [] : line.split(",")) {
        const { value, length } = decodeVlq(segment);
        column += value;
        breakUntil(column);
        written += `${isFirst ? "" : ","}${encodeVlq(column - from - last)}${segment.slice(length)}`;
        last = column - from;
        isFirst = false;
      }
      breakUntil(lineEnd - lineStart);
      lineStart = lineEnd + 1;
      return written;
    })
    .join(";");
}

/**
 * The mappings of a source map after characters were replaced by longer texts.
 * @param {string} mappings
 * @param {string} code Before.
 * @param {readonly { at: number, text: string }[]} edits In the order of the code; each replaces one character.
 */
export function shiftMappings(mappings, code, edits) {
  if (edits.length === 0) return mappings;
  let lineStart = 0;
  let next = 0;
  return mappings
    .split(";")
    .map((line) => {
      let [column, shift, last] = [0, 0, 0];
      const shifted = (line === "" ? [] : line.split(",")).map((segment) => {
        const { value, length } = decodeVlq(segment);
        column += value;
        for (; next < edits.length && edits[next].at < lineStart + column; next++)
          shift += edits[next].text.length - 1;
        const moved = `${encodeVlq(column + shift - last)}${segment.slice(length)}`;
        last = column + shift;
        return moved;
      });
      const newline = code.indexOf("\n", lineStart);
      lineStart = newline === -1 ? code.length : newline + 1;
      while (next < edits.length && edits[next].at < lineStart) next++;
      return shifted.join(",");
    })
    .join(";");
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function decodeVlq(text) {
  let number = 0;
  let length = 0;
  for (let shift = 0; ; shift += 5) {
    const digit = digits.indexOf(text[length++]);
    number += (digit & 31) * 2 ** shift;
    if (digit < 32) break;
  }
  return { value: number % 2 === 1 ? -((number - 1) / 2) : number / 2, length };
}

function encodeVlq(value) {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = "";
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += digits[rest > 0 ? digit + 32 : digit];
  } while (rest > 0);
  return text;
}
