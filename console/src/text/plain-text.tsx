import { memo } from "react";
import { toVisibleLine, toVisibleText } from "../../../src/text/visible-text.js";

interface PlainTextProps {
  readonly text: string;
  /** A name or title: line ends and tabs are written out as well. */
  readonly line?: boolean;
}

/** Text from outside, in its visible form: never as markup, with everything written out that cannot be seen. */
export const PlainText = memo(({ text, line = false }: PlainTextProps) => (
  <VisibleText visible={line ? toVisibleLine(text) : toVisibleText(text)} />
));

/** A text that is in its visible form already, with what was written out highlighted. */
export const VisibleText = memo(({ visible }: { readonly visible: string }) => {
  // Every bracket of this kind belongs to a character that was written out.
  const pieces = visible.split(/((?:⟨[^⟩]*⟩)+)/);
  if (pieces.length === 1) return visible;
  return pieces.map((piece, at) =>
    at % 2 === 1 ? (
      // oxlint-disable-next-line react/no-array-index-key -- pieces have no other identity
      <span key={at} className="rounded-sm bg-warn-soft px-px text-warn">
        {piece}
      </span>
    ) : (
      piece
    ),
  );
});
