import { hasReference, interpolate } from "./interpolate.js";

/**
 * How a host writes variables: `${NAME}` in most, `$NAME` too in Gemini CLI ("shell"), `{env:NAME}` in OpenCode, and
 * not at all in Codex ("literal"). `${env:NAME}` means the variable everywhere.
 */
export type ReferenceDialect = "braces" | "shell" | "opencode" | "literal";

/**
 * Bring other hosts' placeholders into our `${NAME:-}`: one that we cannot read, or that names a variable which is
 * not set, would make the whole configuration unusable. What is left over is written as plain text.
 */
export function translateReferences(
  value: unknown,
  dialect: ReferenceDialect,
  onNote: (note: string) => void,
): unknown {
  if (typeof value === "string") return translateText(value, dialect, onNote);
  if (Array.isArray(value)) return value.map((item) => translateReferences(item, dialect, onNote));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, translateReferences(item, dialect, onNote)]),
  );
}

function translateText(text: string, dialect: ReferenceDialect, onNote: (note: string) => void): string {
  const given = toBraces(text, dialect);
  if (dialect === "opencode" && /\{file:[^{}]*\}/.test(given))
    onNote(`"${text}" names a file that the other host reads; here it is plain text`);
  if (!hasReference(given)) return given;
  const translated = given.replaceAll(/\$\{([^{}]*)\}/g, (whole, inner: string) => {
    const [, kind = "", rest = ""] = /^(env|input):([^]*)$/.exec(inner) ?? [];
    if (kind === "env") return withDefault(rest);
    if (dialect === "literal") return `$${whole}`;
    if (kind === "input") {
      const variable = rest
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]+/g, "_")
        .replace(/^(?=\d)/, "_");
      onNote(`"${whole}" is asked for by the other host; set the environment variable ${variable} here`);
      return `\${${variable}:-}`;
    }
    if (inner === "workspaceFolder" || inner === "workspaceRoot") return ".";
    if (inner === "userHome") return "${HOME}";
    if (inner === "/" || inner === "pathSeparator") return "/";
    return plainName.test(inner) ? `\${${inner}:-}` : whole;
  });
  // All references have a default by now but that of the home folder. None may name a secret that is stored here.
  const read = interpolate(translated, { HOME: "/" });
  if (read.ok && !read.variables.some((name) => name.startsWith("secret:"))) return translated;
  onNote(`"${text}" is taken as plain text`);
  return text.replaceAll("${", () => "$${");
}

/** The dialect's own forms as `${…}`. */
function toBraces(text: string, dialect: ReferenceDialect): string {
  if (dialect === "opencode") return text.replaceAll(/(?<!\$)\{env:([A-Za-z_]\w*)\}/g, "${env:$1}");
  if (dialect === "shell") return text.replaceAll(/(?<!\$)\$([A-Za-z_]\w*)/g, "${env:$1}");
  // Elsewhere a dollar sign may be part of a password: only what is a variable as a whole is taken for one.
  if (dialect === "braces")
    return text.replace(/^((?:Bearer |Basic |token )?)\$([A-Z_][A-Z0-9_]*)$/, "$1${env:$2}");
  return text;
}

function withDefault(reference: string): string {
  return reference.includes(":-") ? `\${${reference}}` : `\${${reference}:-}`;
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
