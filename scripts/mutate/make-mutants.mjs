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
 * The places of a file that can be mutated, in order. Each has the mutations `afters` that fit it, and `probe`: the span of the
 * innermost block or arrow body around it, which a test must enter to notice anything.
 */
export function findSites(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0].message}`);
  const sites = [];
  const add = (kind, node, afters, probe) => {
    const before = text.slice(node.start, node.end);
    const distinct = [...new Set(afters)].filter((after) => after !== before);
    if (distinct.length > 0)
      sites.push({ file, kind, start: node.start, end: node.end, before, afters: distinct, probe });
  };
  visit(program, { text, add, probe: undefined });
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
      if (typeof inner?.type === "string")
        visit(inner, { ...scope, probe: probeInside(node, key, inner) ?? scope.probe });
    }
  }
}

/** Types, imports and declarations without code cannot change what runs. */
function skipped(node) {
  if (/^(Import|ExportAll)/u.test(node.type) || (node.type === "ExportNamedDeclaration" && node.source))
    return true;
  if (node.type === "ExpressionStatement" && node.directive) return true;
  return node.type.startsWith("TS") && !/^TS(As|NonNull|Satisfies)Expression$/u.test(node.type);
}

function probeInside(node, key, inner) {
  if (inner.type === "BlockStatement") return { at: inner.start + 1 };
  const arrowBody = node.type === "ArrowFunctionExpression" && key === "body";
  return arrowBody ? { at: inner.start, end: inner.end } : undefined;
}

function operators(node, { text, add, probe }) {
  const source = (part) => text.slice(part.start, part.end);
  const swapped = swappedOperators[node.operator];
  if ((node.type === "BinaryExpression" || node.type === "LogicalExpression") && swapped) {
    if (node.operator === "+" && (isText(node.left) || isText(node.right))) return;
    add("operator", node, [`(${source(node.left)}) ${swapped} (${source(node.right)})`], probe);
  }
  if (node.type === "AssignmentExpression" && swapped) {
    add("operator", node, [`${source(node.left)} ${swapped} ${source(node.right)}`], probe);
  }
  if (node.type === "UpdateExpression") {
    add(
      "operator",
      node,
      [node.prefix ? swapped + source(node.argument) : source(node.argument) + swapped],
      probe,
    );
  }
  if (node.type === "UnaryExpression" && (node.operator === "!" || node.operator === "-")) {
    add("operator", node, [source(node.argument)], probe);
  }
  if (
    node.type === "MemberExpression" &&
    !node.computed &&
    Object.hasOwn(swappedMethods, node.property.name)
  ) {
    add("operator", node.property, [swappedMethods[node.property.name]], probe);
  }
}

function isText(node) {
  return (node.type === "Literal" && typeof node.value === "string") || node.type === "TemplateLiteral";
}

function conditions(node, { text, add, probe }) {
  if (!node.test) return;
  const negated = `!(${text.slice(node.test.start, node.test.end)})`;
  if (node.type === "IfStatement" || node.type === "ConditionalExpression") {
    add("condition", node.test, [negated, "true", "false"], probe);
  }
  // A loop that is forced to go on would only run into the time limit.
  if (node.type === "WhileStatement" || node.type === "ForStatement")
    add("condition", node.test, ["false"], probe);
}

function constants(node, { text, add, probe }) {
  if (node.type === "ArrayExpression" && node.elements.length > 0) add("constant", node, ["[]"], probe);
  if (node.type === "TemplateLiteral" && !/\s/u.test(text.slice(node.start, node.end)))
    add("constant", node, ["``"], probe);
  if (node.type !== "Literal" || node.regex) return;
  if (typeof node.value === "boolean") add("constant", node, [String(!node.value)], probe);
  if (typeof node.value === "number") {
    // In parentheses, because `-1` behind a minus sign is another operator.
    add("constant", node, [`(${String(node.value + 1)})`, `(${String(node.value - 1)})`], probe);
  }
  // Texts for people, which have spaces, are left alone: what they must say is checked where it matters.
  if (typeof node.value === "string" && !/\s/u.test(node.value))
    add("constant", node, [node.value === "" ? '"mutant"' : '""'], probe);
}

function statements(node, { add, probe }) {
  if (["ExpressionStatement", "ThrowStatement", "BreakStatement", "ContinueStatement"].includes(node.type)) {
    add("statement", node, [";"], probe);
  }
  if (node.type === "ReturnStatement")
    add("statement", node, [node.argument ? "return undefined;" : ";"], probe);
  if (node.type === "ArrowFunctionExpression" && node.body.type !== "BlockStatement") {
    add("statement", node.body, ["undefined"], { at: node.body.start, end: node.body.end });
  }
}
