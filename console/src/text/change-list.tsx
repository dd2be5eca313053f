import { useText } from "../i18n/use-text.js";
import { Badge, type Tone } from "../ui/badge.js";
import type { ListedChange } from "./listed-change.js";
import { PlainText } from "./plain-text.js";

interface ChangeListProps {
  readonly changes: readonly ListedChange[];
  /** With `onToggle`: the paths that are chosen. */
  readonly selected?: ReadonlySet<string>;
  readonly onToggle?: (path: string) => void;
}

const tones: Record<ListedChange["kind"], Tone> = {
  added: "ok",
  changed: "info",
  removed: "bad",
  mode: "plain",
};

/** The paths that a command changed, with the number of their lines. */
export function ChangeList({ changes, selected, onToggle }: ChangeListProps) {
  const t = useText();
  return (
    <ul aria-label={t("layers.changes")} className="max-h-72 overflow-auto text-xs" tabIndex={0}>
      {changes.map((change) => (
        <li key={change.path} className="flex flex-wrap items-center gap-2 py-0.5">
          {onToggle === undefined ? (
            <Path change={change} />
          ) : (
            <label className="flex min-w-0 items-center gap-2">
              <input
                type="checkbox"
                checked={selected?.has(change.path) === true}
                onChange={() => onToggle(change.path)}
              />
              <Path change={change} />
            </label>
          )}
          <Counts change={change} />
          {change.reason !== undefined && (
            <span className="text-warn">
              <PlainText text={change.reason} line />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Path({ change }: { readonly change: ListedChange }) {
  const t = useText();
  return (
    <>
      <Badge tone={tones[change.kind]}>{t(`layers.kind.${change.kind}`)}</Badge>
      <span className="min-w-0 font-mono wrap-anywhere">
        <PlainText text={change.path} line />
      </span>
    </>
  );
}

function Counts({ change: { added = 0, removed = 0, files } }: { readonly change: ListedChange }) {
  const t = useText();
  return (
    <span className="whitespace-nowrap tabular-nums">
      {added > 0 && <span className="text-ok">+{added} </span>}
      {removed > 0 && <span className="text-bad">−{removed} </span>}
      {files !== undefined && <span className="text-muted">{t("layers.files", { n: files })}</span>}
    </span>
  );
}
