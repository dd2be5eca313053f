import { useApi } from "../../api/use-api.js";
import type { WaitingLayer } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { usePreferences } from "../../preferences.js";
import { hrefOf, navigate } from "../../route.js";
import { toBytes, toTime, toZoned } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { ClockView } from "../../text/time-view.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { LayerDialog } from "./layer-dialog.js";

/** Changes of commands that are not in the workspace. @param id The layer that is open, or the call that it is of. */
export function WaitingLayers({ id }: { readonly id: string | undefined }) {
  const t = useText();
  const layers = useApi<readonly WaitingLayer[]>("/api/layers", { everyMs: 5000 });
  const rows = layers.data ?? [];
  const open = rows.find((row) => row.id === id || row.callId === id);
  return (
    <>
      <FaultNote fault={layers.error} />
      {rows.length > 0 && (
        <Panel title={t("layers.title")}>
          <p className="mb-2 text-xs text-muted">{t("layers.about")}</p>
          <ul className="flex flex-col">
            {rows.map((row) => (
              <LayerLine key={row.id} row={row} />
            ))}
          </ul>
        </Panel>
      )}
      {id !== undefined && layers.data !== undefined && open === undefined && (
        <Empty>{t("layers.gone", { id })}</Empty>
      )}
      <LayerDialog
        layer={open}
        onClose={() => {
          navigate(hrefOf("changes"));
        }}
      />
    </>
  );
}

function LayerLine({ row }: { readonly row: WaitingLayer }) {
  const t = useText();
  const wordOf = useWord();
  const { language } = usePreferences();
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-t border-line py-1.5 text-xs first:border-t-0">
      <span className="whitespace-nowrap text-muted">
        <ClockView time={row.keptAt} />
      </span>
      <code className="min-w-52 flex-1 wrap-anywhere">
        <PlainText text={row.command} line />
      </code>
      <span className="text-warn">
        <PlainText text={wordOf(row.reason)} line />
      </span>
      <span className="whitespace-nowrap text-muted tabular-nums">
        {t("layers.size", { n: row.entries, size: toBytes(row.bytes) })}
      </span>
      <span className="whitespace-nowrap text-muted" title={toZoned(row.expiresAt, language)}>
        {t("layers.until", { time: toTime(row.expiresAt) })}
      </span>
      <a className="text-accent underline" href={hrefOf("log", row.callId)}>
        {t("fact.call")}
      </a>
      <a className="font-medium text-accent underline" href={hrefOf("changes", row.id)}>
        {t("layers.review")}
      </a>
    </li>
  );
}
