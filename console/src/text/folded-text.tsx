import { useState } from "react";
import { toVisibleText } from "../../../src/text/visible-text.js";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";
import { cutText } from "./cut-text.js";
import { useReportFold } from "./fold-gate.js";
import { VisibleText } from "./plain-text.js";

/** A text within a paragraph: its beginning, how much is folded, and a way to open it. */
export function FoldedText({ text, limit }: { readonly text: string; readonly limit: number }) {
  const t = useText();
  const [opened, setOpened] = useState(false);
  const { shown, left, leftLines } = cutText(toVisibleText(text), opened ? Number.POSITIVE_INFINITY : limit);
  useReportFold(left > 0);
  return (
    <>
      <VisibleText visible={left > 0 ? `${shown}…` : shown} />
      {left > 0 && (
        <span className="ml-1 inline-flex items-center gap-2 text-xs text-muted">
          {t("text.left", { n: left.toLocaleString(), lines: leftLines.toLocaleString() })}
          <Button onClick={() => setOpened(true)}>{t("text.more")}</Button>
        </span>
      )}
    </>
  );
}
