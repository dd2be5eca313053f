import { type RefObject, useLayoutEffect, useState } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";

interface BoxNotesProps {
  readonly box: RefObject<HTMLElement | null>;
  /** Lines within the box. */
  readonly lines: number;
  readonly left: number;
  readonly leftLines: number;
  /** Control sequences that were taken out. */
  readonly removed?: number;
  readonly onMore: () => void;
  /** The whole text, to be copied. */
  readonly text: string;
}

/** What a box holds out of sight, what is folded, what was taken out, and the way to all of it. */
export function BoxNotes({ box, lines, left, leftLines, removed = 0, onMore, text }: BoxNotesProps) {
  const t = useText();
  const scrolls = useScrolls(box, lines);
  if (!scrolls && left === 0 && removed === 0) return null;
  return (
    <div className="mt-1 flex flex-wrap items-center gap-2 text-xs text-muted">
      {scrolls && <span>{t("text.scrolls", { n: lines.toLocaleString() })}</span>}
      {left > 0 && (
        <>
          <span>{t("text.left", { n: left.toLocaleString(), lines: leftLines.toLocaleString() })}</span>
          <Button onClick={onMore}>{t("text.more")}</Button>
          <Button onClick={() => void navigator.clipboard?.writeText(text)}>{t("text.copyAll")}</Button>
        </>
      )}
      {removed > 0 && <span>{t("text.removed", { n: removed.toLocaleString() })}</span>}
    </div>
  );
}

/** Whether a box holds more than it shows at once; looked at again whenever its content or size changes. */
function useScrolls(box: RefObject<HTMLElement | null>, content: unknown): boolean {
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = (): void => setScrolls(element.scrollHeight > element.clientHeight + 1);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, content]);
  return scrolls;
}
