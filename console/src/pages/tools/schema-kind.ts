/** A schema as far as a form looks into it. */
export interface FormSchema {
  readonly [keyword: string]: unknown;
}

export type FieldKind = "text" | "long-text" | "number" | "boolean" | "choice" | "list" | "object" | "raw";

/** What kind of field a schema asks for; what a form cannot show well is typed in as JSON. */
export function kindOf(schema: FormSchema): FieldKind {
  if (Array.isArray(schema["enum"]) && schema["enum"].length <= 200) return "choice";
  if ("const" in schema) return "choice";
  if (["oneOf", "anyOf", "allOf", "not", "if"].some((keyword) => keyword in schema)) return "raw";
  switch (schema["type"]) {
    case "string":
      return typeof schema["maxLength"] === "number" && schema["maxLength"] <= 5000 ? "text" : "long-text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return isSchema(schema["items"]) ? "list" : "raw";
    case "object":
      return membersOf(schema).length > 0 || takesMore(schema) ? "object" : "raw";
    default:
      return "raw";
  }
}

/** Follow references within the same schema, and look through "this or null". */
export function resolveSchema(schema: unknown, root: FormSchema): FormSchema {
  let current = isSchema(schema) ? schema : {};
  for (let steps = 0; steps < 16; steps += 1) {
    const ref = current["$ref"];
    const inner = typeof ref === "string" ? lookUp(ref, root) : orNull(current);
    if (inner === undefined) return current;
    const { $ref: _ref, anyOf: _anyOf, oneOf: _oneOf, ...rest } = current;
    current = { ...inner, ...rest };
  }
  return {};
}

/** The members of an object schema, those that must be given first as they are written. */
export function membersOf(
  schema: FormSchema,
): readonly { readonly name: string; readonly schema: unknown; readonly required: boolean }[] {
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).map(([name, member]) => ({
    name,
    schema: member,
    required: required.includes(name),
  }));
}

/** Whether an object may have members of any name, whose values a form can show. */
export function takesMore(schema: FormSchema): boolean {
  const more = schema["additionalProperties"];
  return isSchema(more) && Object.keys(more).length > 0;
}

/** What a field starts with: its default, or the least that its kind allows. */
export function firstValue(schema: unknown, root: FormSchema, depth = 0): unknown {
  const resolved = resolveSchema(schema, root);
  if ("default" in resolved) return resolved["default"];
  if ("const" in resolved) return resolved["const"];
  const kind = kindOf(resolved);
  if (kind !== "object" || depth > 5) return kind === "list" ? [] : kind === "object" ? {} : undefined;
  const given = membersOf(resolved)
    .filter((member) => member.required)
    .map((member) => [member.name, firstValue(member.schema, root, depth + 1)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

export function isSchema(value: unknown): value is FormSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function orNull(schema: FormSchema): FormSchema | undefined {
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(choices)) return undefined;
  const rest = choices.filter((choice) => !(isSchema(choice) && choice["type"] === "null"));
  return rest.length === 1 && rest.length < choices.length && isSchema(rest[0]) ? rest[0] : undefined;
}

function lookUp(ref: string, root: FormSchema): FormSchema | undefined {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isSchema(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return isSchema(at) ? at : undefined;
}
