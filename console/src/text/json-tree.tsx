import { useState } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";
import { PlainText } from "./plain-text.js";

const perPage = 100;
/** Deeper levels start closed. */
const openDepth = 2;

/** Any value as a tree whose branches open; only what is open exists in the page. */
export function JsonTree({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <div
      className="max-h-[32rem] overflow-auto rounded border border-line bg-sunk p-2 font-mono text-xs"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <Node name={undefined} value={value} depth={0} />
    </div>
  );
}

interface NodeProps {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly depth: number;
}

function Node({ name, value, depth }: NodeProps) {
  if (typeof value === "object" && value !== null) return <Branch name={name} value={value} depth={depth} />;
  return (
    <div className="flex gap-1.5 pl-4">
      <Name name={name} />
      <span className={`min-w-0 wrap-anywhere whitespace-pre-wrap ${looksOf(value)}`}>
        <PlainText text={typeof value === "string" ? shownText(value) : (JSON.stringify(value) ?? "")} />
        {typeof value === "string" && value.length > 4000 && "…"}
      </span>
    </div>
  );
}

function Branch({ name, value, depth }: NodeProps & { readonly value: object }) {
  const t = useText();
  const [open, setOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(perPage);
  const isList = Array.isArray(value);
  const keys = open ? Object.keys(value) : [];
  const size = isList ? value.length : Object.keys(value).length;
  return (
    <div className={depth === 0 ? "" : "pl-4"}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-baseline gap-1.5 text-left hover:bg-panel"
      >
        <span aria-hidden="true" className="w-2.5 text-muted">
          {open ? "▾" : "▸"}
        </span>
        <Name name={name} />
        <span className="text-muted">
          {isList ? "[" : "{"} {t(isList ? "view.items" : "view.members", { n: size.toLocaleString() })}{" "}
          {isList ? "]" : "}"}
        </span>
      </button>
      {keys.slice(0, shown).map((key) => (
        <Node
          key={key}
          name={key}
          value={(value as Readonly<Record<string, unknown>>)[key]}
          depth={depth + 1}
        />
      ))}
      {keys.length > shown && (
        <Button className="ml-4" onClick={() => setShown(shown * 4)}>
          {t("view.more", { n: (keys.length - shown).toLocaleString() })}
        </Button>
      )}
    </div>
  );
}

function Name({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <span className="shrink-0 text-muted">
      <PlainText text={name} line />:
    </span>
  );
}

/** Without quotes, unless it would be taken for nothing or for another kind of value. */
function shownText(text: string): string {
  const isAmbiguous = /^(?:|\s.*|.*\s|null|true|false|[-+\d.][\d.e+-]*)$/i.test(text);
  return isAmbiguous ? JSON.stringify(text) : text.slice(0, 4000);
}

function looksOf(value: unknown): string {
  if (typeof value === "string") return "text-ok";
  return typeof value === "number" ? "text-info" : "text-warn";
}
