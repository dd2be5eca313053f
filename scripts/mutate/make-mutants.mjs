// Finds everything in a source file that can be mutated: operators, conditions, constants and statements.
import { parseSync } from "rolldown/utils";

const swappedOperators = {
  "===": "!==",
  "!==": "===",
  "==": "!=",
  "!=": "==",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&": "|",
  "|": "&",
  "<<": ">>",
  ">>": "<<",
  ">>>": "<<",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "++": "--",
  "--": "++",
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "|=": "&=",
  "&=": "|=",
  "??=": "=",
  "||=": "=",
  "&&=": "=",
};
const swappedMethods = { some: "every", every: "some", min: "max", max: "min" };

/**
 * The places of a file that can be mutated, in order, each with the mutations `afters` that fit it.
 */
export function findSites(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0].message}`);
  const sites = [];
  const add = (kind, node, afters) => {
    const before = text.slice(node.start, node.end);
    const distinct = [...new Set(afters)].filter((after) => after !== before);
    if (distinct.length > 0)
      sites.push({ file, kind, start: node.start, end: node.end, before, afters: distinct });
  };
  visit(program, { text, add });
  return sites;
}

function visit(node, scope) {
  if (skipped(node)) return;
  operators(node, scope);
  conditions(node, scope);
  constants(node, scope);
  statements(node, scope);
  for (const [key, child] of Object.entries(node)) {
    if ((key === "key" && !node.computed) || key === "typeAnnotation" || key === "returnType") continue;
    for (const inner of Array.isArray(child) ? child : [child]) {
      if (typeof inner?.type === "string") visit(inner, scope);
    }
  }
}

/** Types, imports and declarations without code cannot change what runs. */
function skipped(node) {
  if (/^(Import|ExportAll)/u.test(node.type) || (node.type === "ExportNamedDeclaration" && node.source))
    return true;
  if (node.type === "ExpressionStatement" && node.directive) return true;
  // A tag takes a template as it stands, and a bundler the name of a module.
  if (node.type === "TaggedTemplateExpression" || node.type === "ImportExpression") return true;
  return node.type.startsWith("TS") && !/^TS(As|NonNull|Satisfies)Expression$/u.test(node.type);
}

function operators(node, { text, add }) {
  const source = (part) => text.slice(part.start, part.end);
  const swapped = swappedOperators[node.operator];
  if ((node.type === "BinaryExpression" || node.type === "LogicalExpression") && swapped) {
    if (node.operator === "+" && (isText(node.left) || isText(node.right))) return;
    add("operator", node, [`(${source(node.left)}) ${swapped} (${source(node.right)})`]);
  }
  if (node.type === "AssignmentExpression" && swapped) {
    add("operator", node, [`${source(node.left)} ${swapped} ${source(node.right)}`]);
  }
  if (node.type === "UpdateExpression") {
    add("operator", node, [node.prefix ? swapped + source(node.argument) : source(node.argument) + swapped]);
  }
  if (node.type === "UnaryExpression" && (node.operator === "!" || node.operator === "-")) {
    add("operator", node, [source(node.argument)]);
  }
  if (
    node.type === "MemberExpression" &&
    !node.computed &&
    node.property.type === "Identifier" &&
    Object.hasOwn(swappedMethods, node.property.name)
  ) {
    add("method", node.property, [swappedMethods[node.property.name]]);
  }
}

function isText(node) {
  return (node.type === "Literal" && typeof node.value === "string") || node.type === "TemplateLiteral";
}

function conditions(node, { text, add }) {
  if (!node.test) return;
  const negated = `!(${text.slice(node.test.start, node.test.end)})`;
  if (node.type === "IfStatement" || node.type === "ConditionalExpression") {
    add("condition", node.test, [negated, "true", "false"]);
  }
  // A loop that is forced to go on would only run into the time limit.
  if (node.type === "WhileStatement" || node.type === "ForStatement") add("condition", node.test, ["false"]);
}

function constants(node, { text, add }) {
  if (node.type === "ArrayExpression" && node.elements.length > 0) add("constant", node, ["[]"]);
  if (node.type === "TemplateLiteral" && !/\s/u.test(text.slice(node.start, node.end)))
    add("constant", node, ["``"]);
  if (node.type !== "Literal" || node.regex) return;
  if (typeof node.value === "boolean") add("constant", node, [String(!node.value)]);
  if (typeof node.value === "number") {
    // In parentheses, because `-1` behind a minus sign is another operator.
    add("constant", node, [`(${String(node.value + 1)})`, `(${String(node.value - 1)})`]);
  }
  // Texts for people, which have spaces, are left alone: what they must say is checked where it matters.
  if (typeof node.value === "string" && !/\s/u.test(node.value))
    add("constant", node, [node.value === "" ? '"mutant"' : '""']);
}

function statements(node, { add }) {
  if (["ExpressionStatement", "ThrowStatement", "BreakStatement", "ContinueStatement"].includes(node.type)) {
    add("statement", node, [";"]);
  }
  if (node.type === "ReturnStatement") add("statement", node, [node.argument ? "return undefined;" : ";"]);
  if (node.type === "ArrowFunctionExpression" && node.body.type !== "BlockStatement") {
    add("statement", node.body, ["undefined"]);
  }
}
