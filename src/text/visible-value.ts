import { toVisibleLine, toVisibleText } from "./visible-text.js";

/**
 * Show a JSON value as an outline in its visible form, whole.
 *
 * Texts stand as they are, without the escapes of JSON: each of their lines behind a bar (`name │ line`), so that no
 * text can imitate another member. Everything else follows a colon (`name: 5`), and members of members are indented.
 */
export function toVisibleValue(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return toVisibleText(value);
  if (!isFilled(value)) return scalar(value);
  const lines: string[] = [];
  addMembers(lines, value, "");
  return lines.join("\n");
}

function addMembers(lines: string[], value: object, indent: string): void {
  const list = Array.isArray(value);
  for (const [key, member] of Object.entries(value))
    addMember(lines, list ? "-" : label(key), { member, indent });
}

function addMember(
  lines: string[],
  name: string,
  { member, indent }: { member: unknown; indent: string },
): void {
  if (typeof member === "string") {
    const [first = "", ...rest] = toVisibleText(member).split("\n");
    lines.push(`${indent}${name} │ ${first}`);
    const below = `${indent}${" ".repeat(name.length)} │ `;
    for (const line of rest) lines.push(below + line);
  } else if (isFilled(member)) {
    lines.push(`${indent}${name}:`);
    addMembers(lines, member, `${indent}  `);
  } else if (member !== undefined) lines.push(`${indent}${name}: ${scalar(member)}`);
}

/** A name that could be read as something else is put in quotes. */
function label(key: string): string {
  const name = toVisibleLine(key);
  return /^[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$.-]*$/u.test(name) ? name : `"${name}"`;
}

function isFilled(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function scalar(value: unknown): string {
  return toVisibleText(JSON.stringify(value) ?? String(value));
}
