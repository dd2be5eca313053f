import { type KeyboardEvent, useMemo, useState } from "react";
import type { ToolRow } from "../api/types.js";
import { useApi } from "../api/use-api.js";
import { useText } from "../i18n/use-text.js";
import { usePageTitle } from "../i18n/page-title.js";
import { type PageName, pages } from "../pages.js";
import { hrefOf, navigate } from "../route.js";
import { PlainText } from "../text/plain-text.js";
import { Modal } from "../ui/modal.js";

interface Target {
  readonly kind: "page" | "tool" | "call";
  readonly name: string;
  readonly href: string;
}

const maxShown = 12;

/** Go anywhere by typing. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const tools = useApi<readonly ToolRow[]>("/api/tools").data;
  const titleOf = usePageTitle();
  const targets = useMemo(() => findTargets(typed, tools ?? [], titleOf), [typed, tools, titleOf]);
  const go = (target: Target | undefined) => {
    if (target === undefined) return;
    onClose();
    navigate(target.href);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(targets.length - 1, at + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(targets[at]);
    }
  };
  return (
    <Modal title={t("palette.title")} open onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={targets[at] === undefined ? undefined : `palette-${at}`}
        aria-label={t("palette.input")}
        placeholder={t("palette.input")}
        className="field w-full"
        autoFocus
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      {targets.length === 0 && <p className="mt-2 text-muted">{t("palette.none")}</p>}
      <ul id="palette-list" role="listbox" aria-label={t("palette.title")} className="mt-2 flex flex-col">
        {targets.map((target, index) => (
          <li
            key={target.href}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(target)}
            className="flex items-center gap-3 rounded px-2 py-1 text-xs hover:bg-sunk aria-selected:bg-accent-soft"
          >
            <span className="w-14 shrink-0 text-muted">{t(`palette.${target.kind}`)}</span>
            <span className="min-w-0 truncate">
              <PlainText text={target.name} line />
            </span>
          </li>
        ))}
      </ul>
    </Modal>
  );
}

/** Pages by their title in any language, tools by name, and whatever looks like the id of a call. */
function findTargets(
  typed: string,
  tools: readonly ToolRow[],
  titleOf: (page: PageName) => string,
): readonly Target[] {
  const wanted = typed.trim().toLowerCase();
  const found: Target[] = pages
    .filter(({ name, en, zh }) => `${name} ${en} ${zh}`.toLowerCase().includes(wanted))
    .map(({ name }) => ({ kind: "page", name: titleOf(name), href: hrefOf(name) }));
  if (wanted === "") return found.slice(0, maxShown);
  if (/^(?:call[_-]|\d+$)/.test(wanted))
    found.unshift({ kind: "call", name: typed.trim(), href: hrefOf("log", typed.trim()) });
  for (const { name } of tools)
    if (name.toLowerCase().includes(wanted)) found.push({ kind: "tool", name, href: hrefOf("tools", name) });
  return found.toSorted((one, other) => rankOf(one, wanted) - rankOf(other, wanted)).slice(0, maxShown);
}

/** Names that begin with what was typed come first, then those in which a word does. */
function rankOf({ kind, name }: Target, wanted: string): number {
  const at = ` ${name.toLowerCase()}`
    .replaceAll(/[_:-]/g, " ")
    .indexOf(` ${wanted.replaceAll(/[_:-]/g, " ")}`);
  return kind === "call" || at === 0 ? 0 : at > 0 ? 1 : 2;
}
