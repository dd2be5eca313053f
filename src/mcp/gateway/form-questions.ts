import type { ElicitAnswer } from "../../contract/ports/client.js";
import type { Interact, Question } from "../../contract/ports/interact.js";
import { cleanText } from "./clean-text.js";

/** Through what, and until when, a person is asked. */
export interface AskOptions {
  readonly interact: Interact;
  readonly signal: AbortSignal;
}

const maxFields = 20;
const maxTries = 3;

/** Ask a form of MCP's elicitation field by field; a person who gives nothing where something is needed declines. */
export async function askForm(message: string, schema: unknown, options: AskOptions): Promise<ElicitAnswer> {
  const { properties = {}, required = [] } = (schema ?? {}) as FormSchema;
  const fields = Object.entries(properties);
  if (fields.length === 0) {
    const { approved } = await options.interact.ask({ kind: "confirm", message }, options.signal);
    return approved === true ? { action: "accept", content: {} } : { action: "decline" };
  }
  if (fields.length > maxFields) return { action: "decline" };
  const content: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const needed = Array.isArray(required) && required.includes(name);
    const value = await askField({ message, name, field, needed }, options);
    if (value === undefined && needed) return { action: "decline" };
    if (value !== undefined) content[name] = value;
  }
  return { action: "accept", content };
}

interface FormSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: unknown;
}

interface FieldSchema {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: unknown;
  readonly oneOf?: unknown;
  readonly items?: unknown;
}

interface Field {
  readonly message: string;
  readonly name: string;
  readonly field: FieldSchema;
  readonly needed: boolean;
}

async function askField(asked: Field, { interact, signal }: AskOptions): Promise<unknown> {
  const { field } = asked;
  const choices = choicesOf(field);
  let complaint = "";
  for (let tries = 0; tries < maxTries; tries++) {
    const answer = await interact.ask(toQuestion(asked, choices, complaint), signal);
    const text = answer.text ?? (answer.approved === undefined ? "" : String(answer.approved));
    if (text.trim() === "") return field.default;
    const value = read(text.trim(), field, choices);
    if (value !== undefined) return value;
    complaint = `"${text}" does not fit. `;
  }
  return undefined;
}

function toQuestion(
  { message, name, field, needed }: Field,
  choices: readonly Choice[],
  complaint: string,
): Question {
  const label = words(field.title) ?? cleanText(name).text;
  const about = words(field.description);
  const what = `${complaint}${message}\n${label}${about === undefined ? "" : `: ${about}`}${needed ? "" : " (optional)"}`;
  const preset =
    field.default === undefined ? {} : { default: JSON.stringify(field.default).replace(/^"(.*)"$/s, "$1") };
  if (field.type === "boolean") return { kind: "ask", message: what, options: ["true", "false"], ...preset };
  if (choices.length > 0 && field.type !== "array") {
    return { kind: "ask", message: what, options: choices.map((choice) => choice.label), ...preset };
  }
  const several =
    field.type === "array" ? `\nSeveral of: ${choices.map((c) => c.label).join(", ")} (with commas)` : "";
  return { kind: "input", message: `${what}${several}`, ...preset };
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

function choicesOf(field: FieldSchema): readonly Choice[] {
  const from = (field.type === "array" ? (field.items ?? {}) : field) as FieldSchema & { anyOf?: unknown };
  const titled = from.oneOf ?? from.anyOf;
  if (Array.isArray(titled)) {
    return titled.flatMap((option: { const?: unknown; title?: unknown }) =>
      typeof option?.const === "string"
        ? [{ value: option.const, label: words(option.title) ?? option.const }]
        : [],
    );
  }
  const { enum: values } = from;
  if (!Array.isArray(values)) return [];
  return values.flatMap((value: unknown) => (typeof value === "string" ? [{ value, label: value }] : []));
}

function read(text: string, field: FieldSchema, choices: readonly Choice[]): unknown {
  if (field.type === "boolean") {
    return /^(?:true|yes|y|1)$/i.test(text) ? true : /^(?:false|no|n|0)$/i.test(text) ? false : undefined;
  }
  if (field.type === "number" || field.type === "integer") {
    const number = Number(text);
    if (!Number.isFinite(number)) return undefined;
    return field.type === "integer" && !Number.isInteger(number) ? undefined : number;
  }
  const pick = (word: string): string | undefined =>
    choices.find(({ value, label }) => value === word || label === word)?.value;
  if (field.type === "array") {
    const picked = text.split(",").map((word) => pick(word.trim()));
    return picked.includes(undefined) ? undefined : picked;
  }
  return choices.length > 0 ? pick(text) : text;
}

function words(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? cleanText(value).text : undefined;
}
