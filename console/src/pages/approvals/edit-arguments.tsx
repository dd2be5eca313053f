import { createTwoFilesPatch } from "diff";
import { useEffect, useMemo, useRef, useState } from "react";
import { fromVisibleText, toVisiblePieces } from "../../../../src/text/visible-text.js";
import { useText } from "../../i18n/use-text.js";
import { DiffView } from "../../text/diff-view.js";
import { Button } from "../../ui/button.js";
import { Section } from "../../ui/panel.js";

interface EditArgumentsProps {
  readonly value: unknown;
  readonly busy: boolean;
  readonly onAllow: (changed: unknown) => void;
  readonly onCancel: () => void;
}

/** Allow a call with other arguments: the text to change, and what was changed. */
export function EditArguments({ value, busy, onAllow, onCancel }: EditArgumentsProps) {
  const t = useText();
  const asked = useMemo(() => toSafeJson(value), [value]);
  const [text, setText] = useState(asked);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const changed = useMemo(() => parse(text), [text]);
  const diff = useMemo(() => (text === asked ? "" : diffOf(asked, text)), [asked, text]);
  return (
    <div
      className="flex min-h-0 flex-col gap-2"
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
      }}
    >
      <label className="text-xs font-medium" htmlFor="edit-arguments">
        {t("approvals.editLabel")}
      </label>
      <textarea
        ref={area}
        id="edit-arguments"
        className="field max-h-[30vh] min-h-24 font-mono text-xs"
        rows={Math.min(14, text.split("\n").length + 1)}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {changed.fault !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {t("approvals.editFault", { fault: changed.fault })}
        </p>
      )}
      {diff !== "" && (
        <Section title={t("approvals.editDiff")}>
          <DiffView diff={diff} className="max-h-[25vh]" />
        </Section>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          look="main"
          disabled={busy || changed.fault !== undefined || diff === ""}
          onClick={() => onAllow(changed.value)}
        >
          {t("approvals.editAllow")}
        </Button>
        <Button onClick={onCancel}>{t("cancel")}</Button>
      </div>
    </div>
  );
}

function diffOf(asked: string, changed: string): string {
  const patch = createTwoFilesPatch("asked", "changed", `${asked}\n`, `${changed}\n`, "", "", { context: 2 });
  return patch.replace(/^=+\n/, "");
}

/** JSON in which every character that cannot be seen stands as an escape. */
function toSafeJson(value: unknown): string {
  return toVisiblePieces(JSON.stringify(value, null, 2) ?? "null")
    .map(({ text, written }) => (written ? escapeUnits(fromVisibleText(text)) : text))
    .join("");
}

function escapeUnits(letter: string): string {
  return letter
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function parse(text: string): { readonly value?: unknown; readonly fault?: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
