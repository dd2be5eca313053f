import { memo } from "react";
import { toVisiblePieces } from "./visible-text.js";

/** Text from outside, in one line or several: never as markup, with invisible characters made visible. */
export const PlainText = memo(({ text }: { readonly text: string }) => {
  const pieces = toVisiblePieces(text);
  if (pieces.length === 1 && pieces[0]?.hidden === false) return pieces[0].text;
  return pieces.map((piece, at) =>
    piece.hidden ? (
      // oxlint-disable-next-line react/no-array-index-key -- pieces have no other identity
      <span key={at} className="rounded-sm bg-warn-soft px-px text-warn">
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
});
