/** A declaration of a bundled declaration file. */
export interface Declaration {
  readonly name: string;
  readonly kind: "function" | "class" | "const" | "type";
  /** The text of its comment, without stars; empty if it has none. */
  readonly comment: string;
  readonly code: string;
}

const start = /^(?:declare )?(?:abstract )?(class|interface|type|const|function) ([\w$]+)/;

/** The exported declarations of a bundled file, by name. */
export function readDeclarations(text: string): Declaration[] {
  const exported = new Set(exportedNames(text));
  const onlyTypes = new Set(
    [...text.slice(text.lastIndexOf("export {")).matchAll(/type (\w+)/g)].map(([, name]) => name),
  );
  const found: Declaration[] = [];
  let comment: string[] = [];
  let code: string[] = [];
  const end = (): void => {
    const [, kind = "", name = ""] = start.exec(code[0] ?? "") ?? [];
    if (exported.has(name)) {
      const isType = onlyTypes.has(name);
      found.push({
        name,
        kind: isType ? "type" : (kind as Declaration["kind"]),
        comment: plainComment(comment),
        code: code.join("\n").trimEnd(),
      });
    }
    code = [];
  };
  let inComment = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("/**")) {
      end();
      comment = [];
      inComment = true;
    }
    if (inComment) {
      comment.push(line);
      if (line.includes("*/")) inComment = false;
      continue;
    }
    if (start.test(line)) {
      if (code.length > 0) {
        end();
        comment = [];
      }
      code = [line];
    } else if (/^(?:import|export) /.test(line)) end();
    else if (code.length > 0) code.push(line);
  }
  end();
  return found.toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1));
}

/** The names that the file exports. */
export function exportedNames(text: string): string[] {
  const list = text.slice(text.lastIndexOf("export {") + 8);
  return [...list.slice(0, list.indexOf("}")).matchAll(/(\w+)\s*(?=,|$)/g)].map(([, name = ""]) => name);
}

function plainComment(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replace(/^\/\*\*\s?/, "")
    .replace(/\s*\*\/$/, "")
    .replaceAll(/^ \* ?/gm, "")
    .trim();
}

/** A page of reference: what each declaration is for, how it is written, and its example. */
export function apiPage(title: string, intro: string, declarations: readonly Declaration[]): string {
  const index = declarations.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(" · ");
  return [`# ${title}`, "", intro, "", index, "", ...declarations.flatMap(section)].join("\n");
}

function section({ name, comment, code }: Declaration): string[] {
  const [about = "", example] = comment.split(/^@example\s*/m);
  const prose = about.replaceAll(/^@param (\w+)/gm, "- `$1`:").trim();
  return [
    `## ${name}`,
    "",
    ...(prose === "" ? [] : [prose, ""]),
    "```ts",
    withoutBuiltIns(name, code),
    "```",
    "",
    ...(example === undefined ? [] : ["Example:", "", "```ts", example.trim(), "```", ""]),
  ];
}

/** The arguments and results of every built-in tool fill a file of their own. */
function withoutBuiltIns(name: string, code: string): string {
  return name === "BuiltInTools"
    ? "interface BuiltInTools {\n  // One member for each tool: { input, result }.\n}"
    : code;
}

/** The declarations without comments: what a change of the public types would change. */
export function pinnedTypes(declarations: readonly Declaration[]): string {
  const blocks = declarations
    .filter(({ name }) => name !== "BuiltInTools")
    .map(({ code }) =>
      code
        .replaceAll(/\/\*\*[^]*?\*\//g, "")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .join("\n"),
    );
  return `// Renewed by \`npx vitest run test/docs-api -u\` after a build. Every change here is a change of the public types.\n\n${blocks.join("\n\n")}\n`;
}
