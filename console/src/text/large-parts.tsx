import { useState } from "react";
import { download, get, withQuery } from "../api/request.js";
import type { LargePart, RecordPart } from "../api/types.js";
import { useApi } from "../api/use-api.js";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";
import { FaultNote } from "../ui/fault-note.js";
import { JsonTree } from "./json-tree.js";
import { PlainText } from "./plain-text.js";
import { TextBlock } from "./text-block.js";

const pieceOf = { text: 200_000, list: 500 };

/** What is too large to be shown at once, read piece by piece: the page never holds more than one piece. */
export function LargeParts({ id, parts }: { readonly id: string; readonly parts: readonly LargePart[] }) {
  return parts.map((part) => <Large key={`${part.of}${part.pointer}`} id={id} part={part} />);
}

function Large({ id, part }: { readonly id: string; readonly part: LargePart }) {
  const t = useText();
  const [from, setFrom] = useState<number>();
  const name = part.pointer === "" ? t(`fact.${part.of}`) : part.pointer.slice(1);
  const values = { name, n: part.length.toLocaleString(), shown: part.shown.toLocaleString() };
  return (
    <div className="mt-2 rounded border border-warn bg-warn-soft p-2 text-xs">
      <p className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 wrap-anywhere">
          <PlainText text={t(part.kind === "text" ? "large.text" : "large.list", values)} />
        </span>
        <Button onClick={() => setFrom(from === undefined ? 0 : undefined)}>
          {t(from === undefined ? "large.read" : "large.close")}
        </Button>
        {part.kind === "text" && (
          <Button onClick={() => void downloadText(id, part)}>{t("large.download")}</Button>
        )}
      </p>
      {from !== undefined && <Piece id={id} part={part} from={from} onMove={setFrom} />}
    </div>
  );
}

interface PieceProps {
  readonly id: string;
  readonly part: LargePart;
  readonly from: number;
  readonly onMove: (from: number) => void;
}

function Piece({ id, part, from, onMove }: PieceProps) {
  const t = useText();
  const count = pieceOf[part.kind];
  const piece = useApi<RecordPart>(pathOf(id, part, { from, count }));
  const to = Math.min(part.length, from + count);
  const place = {
    from: (from + 1).toLocaleString(),
    to: to.toLocaleString(),
    n: part.length.toLocaleString(),
  };
  return (
    <div className="mt-2 flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-2" role="status">
        {t(part.kind === "text" ? "large.part" : "large.items", place)}
        <Button disabled={from === 0} onClick={() => onMove(Math.max(0, from - count))}>
          {t("large.previous")}
        </Button>
        <Button disabled={to >= part.length} onClick={() => onMove(to)}>
          {t("large.next")}
        </Button>
      </p>
      <FaultNote fault={piece.error} />
      {piece.data?.text !== undefined && (
        <TextBlock key={from} text={piece.data.text} label={part.pointer} className="max-h-[32rem]" />
      )}
      {piece.data?.items !== undefined && (
        <JsonTree key={from} value={piece.data.items} label={part.pointer} />
      )}
    </div>
  );
}

function pathOf(
  id: string,
  part: LargePart,
  more: { readonly from: number; readonly count: number },
): string {
  return withQuery(`/api/log/${encodeURIComponent(id)}/part`, {
    of: part.of,
    pointer: part.pointer,
    ...more,
  });
}

/** Piece by piece into a file: no text of fifty megabytes is ever drawn. */
async function downloadText(id: string, part: LargePart): Promise<void> {
  const pieces: string[] = [];
  for (let from = 0; from < part.length; from += 1_000_000) {
    const { text = "" } = await get<RecordPart>(pathOf(id, part, { from, count: 1_000_000 }));
    pieces.push(text);
  }
  download(new Blob(pieces, { type: "text/plain" }), `${id}.txt`);
}
