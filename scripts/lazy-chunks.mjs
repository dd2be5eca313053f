// Loads chunks, and the modules of Node.js that a start does not load anyway, when something of them is first used: the build's chunks
// `require` each other at their top, so one command would load the code of all of them.
import { writeFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";

/** Node.js has loaded these itself before a program runs; asking for them costs nothing. */
const early = new Set(["buffer", "events", "fs", "module", "path", "process", "timers", "url", "util", "vm"]);

/** Every `require` at the top of a chunk becomes a function that loads it once. Modules have no effects when they load. */
export const lazyChunks = {
  name: "lazy-chunks",
  renderChunk(code) {
    const program = parseAst(code);
    const lazy = new Map(program.body.flatMap(lazyRequires));
    for (const node of program.body) {
      const name = reassigned(node);
      if (name !== undefined) lazy.delete(name);
    }
    if (lazy.size === 0) return undefined;
    const edits = [...lazy].map(([name, { start, end, request }]) => ({
      start,
      end,
      text: `let ${name}$; function ${name}() { return ${name}$ ??= require(${JSON.stringify(request)}); }`,
    }));
    for (const node of program.body) {
      if (node.type === "VariableDeclaration" && lazyRequires(node).some(([name]) => lazy.has(name)))
        continue;
      const exported = reExport(node, lazy);
      if (exported === undefined) collectUses(node, lazy, edits);
      else edits.push(exported);
    }
    // Lines stay where they are, and so does the source map.
    return { code: applyEdits(code, edits), map: null };
  },
};

/** `const a = require("b")`, as entries of a map. */
function lazyRequires(node) {
  if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return [];
  const [{ id, init }] = node.declarations;
  if (id.type !== "Identifier" || init?.type !== "CallExpression" || init.callee.name !== "require")
    return [];
  const request = init.arguments[0]?.value;
  if (typeof request !== "string" || !isLate(request)) return [];
  return [[id.name, { start: node.start, end: node.end, request }]];
}

function isLate(request) {
  if (request.startsWith("node:")) return !early.has(request.slice("node:".length));
  return (request.startsWith(".") && !request.includes("rolldown-runtime")) || request.startsWith("#");
}

/** The name in `a = toESM(a)`. */
function reassigned(node) {
  const assignment = node.type === "ExpressionStatement" ? node.expression : undefined;
  return assignment?.type === "AssignmentExpression" ? assignment.left.name : undefined;
}

/** `exports.a = other.a`, which would load the other chunk at once. */
function reExport(node, lazy) {
  const { left, right } = node.type === "ExpressionStatement" ? node.expression : {};
  const isExport = left?.type === "MemberExpression" && left.object.name === "exports";
  if (!isExport || right.type !== "MemberExpression" || !lazy.has(right.object.name)) return undefined;
  const [name, from, member] = [left.property.name, right.object.name, right.property.name];
  const text = `Object.defineProperty(exports, "${name}", { enumerable: true, get() { return ${from}().${member}; } });`;
  return { start: node.start, end: node.end, text };
}

function collectUses(node, lazy, edits) {
  // In parentheses, because `new a().B()` would create an `a`.
  if (node.type === "Identifier" && lazy.has(node.name))
    edits.push({ start: node.start, end: node.end, text: `(${node.name}())` });
  for (const [key, value] of Object.entries(node)) {
    const isName = (key === "property" && node.type === "MemberExpression") || key === "key";
    if (isName && node.computed !== true) continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") collectUses(child, lazy, edits);
  }
}

function applyEdits(code, edits) {
  const pieces = [];
  let at = 0;
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    pieces.push(code.slice(at, start), text);
    at = end;
  }
  return `${pieces.join("")}${code.slice(at)}`;
}

/**
 * dist/late-chunks.cjs: loads all chunks, one at a time. A server runs it soon after its start: its first calls need not wait for a
 * chunk, and it goes on when an update replaces the files.
 * @param {string} dist
 * @param {import("rolldown").RolldownOutput} written
 */
export function writeLateChunks(dist, { output }) {
  const isOwn = (id) => /[\\/]src[\\/]/.test(id) && !/[\\/](?:node_modules|test-kit)[\\/]/.test(id);
  const names = output.flatMap((file) =>
    file.type === "chunk" && !file.isEntry && file.moduleIds.some(isOwn) ? [`./${file.fileName}`] : [],
  );
  const load = `const names = ${JSON.stringify(names)};
exports.loadLate = function loadLate(at = 0) {
  if (at === names.length) return;
  require(names[at]);
  setTimeout(loadLate, 5, at + 1).unref();
};
`;
  writeFileSync(`${dist}/late-chunks.cjs`, load);
}
