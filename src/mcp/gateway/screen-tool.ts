import { messageOf } from "../../contract/message-of.js";
import type { JsonSchema } from "../../contract/json.js";
import type { UpstreamTool } from "../../contract/ports/upstream.js";
import { compileSchema } from "../../schema/compile-schema.js";
import { cleanText, hidesSomething, showText } from "./clean-text.js";
import { flagText } from "./flag-text.js";

/** A definition that may be used, with what a person should know of it. */
export interface ScreenedTool {
  /** As the server sent it: what is fingerprinted. */
  readonly raw: UpstreamTool;
  /** Without what cannot be seen: what models and people get. */
  readonly shown: UpstreamTool;
  readonly warnings: readonly string[];
}

export type Screening =
  | { readonly ok: true; readonly tool: ScreenedTool }
  | { readonly ok: false; readonly reason: string };

const maxSchemaChars = 256 * 1024;
const maxDescription = 8192;
const legalName = /^[\p{L}\p{M}\p{Nd}_./-]{1,100}$/u;
const reserved = new Set(["__proto__", "prototype", "constructor"]);

/** Judge one definition by itself: its name, its words and its schemas. */
export function screenTool(raw: UpstreamTool, server: string): Screening {
  const reason = nameFault(raw.name, server) ?? sizeFault(raw);
  if (reason !== undefined) return { ok: false, reason };
  try {
    return { ok: true, tool: toShown(raw) };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

function nameFault(name: string, server: string): string | undefined {
  if (name === "") return "its name is empty";
  if (hidesSomething(name)) return "its name contains invisible characters";
  const plain = name.normalize("NFKC");
  if (reserved.has(plain.toLowerCase())) return "its name is reserved";
  if (!legalName.test(name) || !legalName.test(plain)) {
    return "its name is longer than 100 characters or contains one that is not a letter, a digit, _ . / or -";
  }
  if (!/[\p{L}\p{Nd}]/u.test(plain)) return "its name contains no letter or digit";
  if (server.length + 1 + name.length > 128) return "its name is too long together with the server's";
  return undefined;
}

function sizeFault({ inputSchema, outputSchema }: UpstreamTool): string | undefined {
  for (const [what, schema] of [
    ["input", inputSchema],
    ["output", outputSchema],
  ] as const) {
    const length = schema === undefined ? 0 : (JSON.stringify(schema)?.length ?? 0);
    if (length > maxSchemaChars) return `its ${what} schema is longer than ${maxSchemaChars} characters`;
  }
  return undefined;
}

function toShown(raw: UpstreamTool): ScreenedTool {
  const notes = new Set<string>();
  const words = (text: string): string => {
    const clean = cleanText(text);
    if (clean.stripped) notes.add("invisible characters were removed");
    for (const flag of flagText(clean.text)) notes.add(flag);
    if (clean.text.length <= maxDescription) return clean.text;
    notes.add(`a text was cut after ${maxDescription} characters`);
    return `${clean.text.slice(0, maxDescription).toWellFormed()}…`;
  };
  const { title, description = "", outputSchema } = raw;
  const said = words(description);
  const inputSchema = cleanSchema(raw.inputSchema, words) as JsonSchema;
  compileSchema(inputSchema);
  const output = outputSchema === undefined ? undefined : (cleanSchema(outputSchema, words) as JsonSchema);
  if (output !== undefined) compileSchema(output, "output");
  return {
    raw,
    shown: {
      name: raw.name,
      ...(title !== undefined && { title: words(title) }),
      ...(said.trim() !== "" && { description: said }),
      inputSchema,
      ...(output !== undefined && { outputSchema: output }),
      ...(raw.annotations !== undefined && { annotations: cleaned(raw.annotations, words) }),
      ...(raw.icons !== undefined && { icons: raw.icons }),
      ...(raw.meta !== undefined && { meta: raw.meta }),
      ...(raw.more !== undefined && { more: raw.more }),
    },
    warnings: [...notes],
  };
}

/** Hosts show the texts among annotations to people and models. */
function cleaned(
  annotations: Readonly<Record<string, unknown>>,
  words: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(annotations);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, typeof item === "string" ? words(item) : item]),
  );
}

/** Words in it are cleaned; a name or value that hides something cannot be changed without changing what it means. */
function cleanSchema(value: unknown, words: (text: string) => string, depth = 0): unknown {
  if (depth > 64) throw new Error("its schema is nested deeper than 64 levels");
  if (Array.isArray(value)) return value.map((item) => cleanSchema(item, words, depth + 1));
  if (typeof value === "string") {
    if (hidesSomething(value)) throw new Error(`its schema hides characters in ${showText(value)}`);
    return value;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (hidesSomething(key)) throw new Error(`its schema hides characters in the name ${showText(key)}`);
    if (key === "__proto__") throw new Error("its schema names a property __proto__");
    const prose =
      (key === "description" || key === "title" || key === "$comment") && typeof item === "string";
    return [key, prose ? words(item) : cleanSchema(item, words, depth + 1)];
  });
  return Object.fromEntries(entries);
}
