import { toVisibleLine, toVisibleText } from "../../../src/text/visible-text.js";
import { toVisibleValue } from "../../../src/text/visible-value.js";
import { PlainText, VisibleText } from "./plain-text.js";
import { TextBlock } from "./text-block.js";

/** Any JSON value: texts as texts, the rest as an outline in which texts stand without escapes. */
export function ValueView({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (value === undefined) return null;
  if (typeof value === "string") return <TextBlock label={label} text={value} />;
  return <TextBlock label={label} text={toVisibleValue(value)} visible />;
}

/** Arguments or another record, one row a member: texts with their line breaks. */
export function RecordView({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return <ValueView value={value} label={label} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className="text-muted">{"{}"}</p>;
  return (
    <dl className="grid grid-cols-[minmax(5rem,auto)_1fr] gap-x-3 gap-y-1">
      {entries.map(([key, member]) => (
        <div key={key} className="col-span-2 grid grid-cols-subgrid">
          <dt className="font-mono text-xs leading-5 text-muted">
            <PlainText text={key} line />
          </dt>
          <dd className="min-w-0">
            <Member name={key} value={member} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Member({ name, value }: { readonly name: string; readonly value: unknown }) {
  const visible = typeof value === "string" ? toVisibleText(value) : shownValue(value);
  if (visible.length > 120 || visible.includes("\n"))
    return <TextBlock label={toVisibleLine(name)} text={visible} visible className="max-h-64" />;
  return (
    <span className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
      <VisibleText visible={visible} />
    </span>
  );
}

/** In one line as JSON where that is short, else as an outline. */
function shownValue(value: unknown): string {
  const line = JSON.stringify(value) ?? "";
  return line.length <= 100 ? toVisibleText(line) : toVisibleValue(value);
}

/** A value in a few words, for one line of a list. */
export function toShort(value: unknown, limit = 140): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object")
    return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, limit);
  const parts: string[] = [];
  let length = 0;
  for (const [key, member] of Object.entries(value)) {
    const text = typeof member === "string" ? member.slice(0, limit) : shortJson(member);
    parts.push(`${key}: ${text}`);
    length += text.length;
    if (length > limit) break;
  }
  return parts.join("  ").replaceAll("\n", "⏎").slice(0, limit);
}

function shortJson(value: unknown): string {
  if (Array.isArray(value)) {
    const line = value.length <= 8 ? JSON.stringify(value) : "";
    return line !== "" && line.length <= 60 ? line : `[${value.length}]`;
  }
  if (typeof value === "object" && value !== null) return "{…}";
  return String(value);
}
