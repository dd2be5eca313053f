import { hasReference } from "./interpolate.js";

/**
 * Bring other hosts' placeholders into our `${NAME:-}`: one that we cannot read, or that names a variable which is
 * not set, would make the whole configuration unusable. What is left over is written as plain text.
 */
export function translateReferences(value: unknown, onNote: (note: string) => void): unknown {
  if (typeof value === "string") return translateText(value, onNote);
  if (Array.isArray(value)) return value.map((item) => translateReferences(item, onNote));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, translateReferences(item, onNote)]),
  );
}

function translateText(text: string, onNote: (note: string) => void): string {
  if (!hasReference(text)) return text;
  const translated = text.replaceAll(/\$\{([^{}]*)\}/g, (whole, inner: string) => {
    const [, kind = "", rest = ""] = /^(env|input):([^]*)$/.exec(inner) ?? [];
    if (kind === "env") return `\${${rest}:-}`;
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
    return plainName.test(inner) ? `\${${inner}:-}` : whole;
  });
  if (!hasReference(translated.replaceAll(ownForm, ""))) return translated;
  onNote(`"${text}" is taken as plain text`);
  return text.replaceAll("${", () => "$${");
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ownForm = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^${}]*)?\}/g;
