import { lazy, Suspense, useMemo, useState } from "react";
import { useText } from "../i18n/use-text.js";
import { hrefOf } from "../route.js";
import { CopyButton } from "../ui/copy-button.js";
import { ChangeList } from "./change-list.js";
import { DiffView } from "./diff-view.js";
import { JsonTree } from "./json-tree.js";
import { type ResultPart, resultParts } from "./result-parts.js";
import { isTable, TableView } from "./table-view.js";
import { TextBlock } from "./text-block.js";
import { ValueView } from "./value-view.js";

const MarkdownView = lazy(() => import("./markdown-view.js"));

const views = ["rendered", "tree", "text"] as const;

/** The result of a call as what it is: terminal output, diff, image, Markdown, table, or a tree of its members. */
export function ResultView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const t = useText();
  const [view, setView] = useState<(typeof views)[number]>("rendered");
  const waiting = waitingCall(value);
  const isPlain = typeof value !== "object" || value === null;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1" role="group" aria-label={t("view.label")}>
        {!isPlain &&
          views.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={view === name}
              onClick={() => setView(name)}
              className="rounded px-1.5 text-[11px] text-muted aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              {t(`view.${name}`)}
            </button>
          ))}
        <CopyButton
          text={typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")}
          name={label}
        />
      </div>
      {waiting !== undefined && (
        <p className="text-xs">
          <a className="font-medium text-accent underline" href={hrefOf("changes", waiting)}>
            {t("layers.notCommitted")}
          </a>
        </p>
      )}
      {view === "text" && <ValueView value={value} label={label} />}
      {view === "tree" && <JsonTree value={value} label={label} />}
      {view === "rendered" && <Rendered value={value} label={label} />}
    </div>
  );
}

function Rendered({ value, label }: { readonly value: unknown; readonly label: string }) {
  const parts = useMemo(() => resultParts(value, isTable), [value]);
  return parts.map((part, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- a part's place is its identity
    <Part key={at} part={part} label={label} />
  ));
}

function Part({ part, label }: { readonly part: ResultPart; readonly label: string }) {
  const t = useText();
  switch (part.kind) {
    case "changes":
      return <ChangeList changes={part.changes} />;
    case "diff":
      return <DiffView diff={part.text} />;
    case "terminal":
      return <Named name={part.name} node={<TextBlock text={part.text} label={part.name} printed />} />;
    case "text":
      return <Named name={part.name} node={<TextBlock text={part.text} label={part.name || label} />} />;
    case "markdown":
      return (
        <Suspense fallback={<p className="text-muted">{t("loading")}</p>}>
          <div
            className="max-h-[32rem] overflow-auto rounded border border-line p-3"
            tabIndex={0}
            role="region"
            aria-label={label}
          >
            <MarkdownView text={part.text} />
          </div>
        </Suspense>
      );
    case "image":
      return (
        <img
          src={part.source}
          alt={t("view.image")}
          className="max-h-96 max-w-full self-start border border-line"
        />
      );
    case "table":
      return <Named name={part.name} node={<TableView rows={part.rows} label={part.name || label} />} />;
    default:
      return typeof part.value === "object" && part.value !== null ? (
        <JsonTree value={part.value} label={label} />
      ) : (
        <ValueView value={part.value} label={label} />
      );
  }
}

function Named({ name, node }: { readonly name: string; readonly node: React.ReactNode }) {
  return (
    <div>
      {name !== "" && <p className="mb-0.5 font-mono text-[11px] text-muted">{name}</p>}
      {node}
    </div>
  );
}

/** The call whose changes are not all in the workspace. */
function waitingCall(value: unknown): string | undefined {
  const { committed, heldBackBy } = Object(value) as Readonly<Record<string, unknown>>;
  const isWaiting = committed === "none" || committed === "part";
  return isWaiting && typeof heldBackBy === "string" ? heldBackBy : undefined;
}
