import { useMemo, useState } from "react";
import { flag, text as textParam, useAddress, useTyped } from "../../address.js";
import type { ConfigurationView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { FoldedText } from "../../text/folded-text.js";
import { PlainText } from "../../text/plain-text.js";
import { WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { Empty } from "../../ui/panel.js";
import { SearchField } from "../../ui/search-field.js";
import { Toggle } from "../../ui/toggle.js";
import { listSettings } from "./list-settings.js";
import { systemText } from "./text.js";

const params = { q: textParam(), changed: flag(true) };
const perPage = 100;

/** Every setting with its value and where that comes from. */
export function SettingTable({ view }: { readonly view: ConfigurationView }) {
  const text = usePageText(systemText);
  const { values, set } = useAddress("system", params);
  const [typed, setTyped] = useTyped(values.q, (q) => set({ q }, { replace: true }));
  const [shown, setShown] = useState(perPage);
  const all = useMemo(() => listSettings(view), [view]);
  const wanted = typed.trim().toLowerCase();
  const rows = all.filter(
    ({ path, kind }) =>
      path.toLowerCase().includes(wanted) && (wanted !== "" || !values.changed || kind !== "default"),
  );
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3 text-xs">
        <SearchField label={text("search")} value={typed} onChange={setTyped} />
        <Toggle
          label={text("onlyChanged")}
          checked={values.changed}
          onChange={(changed) => set({ changed })}
        />
      </div>
      {rows.length === 0 && <Empty>{text("noneFits")}</Empty>}
      {rows.length > 0 && (
        <table className="cards w-full text-xs" aria-label={text("settings")}>
          <thead>
            <tr className="text-left text-muted">
              <th className="pr-3 pb-1 font-medium">{text("setting")}</th>
              <th className="pr-3 pb-1 font-medium">{text("value")}</th>
              <th className="pb-1 font-medium">{text("source")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map(({ path, value, kind, file }) => (
              <tr key={path} className="border-t border-line align-top">
                <td data-label={text("setting")} className="py-1 pr-3 font-mono wrap-anywhere sm:min-w-72">
                  <PlainText text={path} line />
                </td>
                <td data-label={text("value")} className="py-1 pr-3 font-mono wrap-anywhere">
                  <FoldedText text={toText(value)} limit={300} />
                </td>
                <td data-label={text("source")} className="py-1">
                  <span title={file}>
                    <WordBadge word={kind} tone={kind === "default" ? "plain" : "info"} />
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > shown && (
        <Button className="self-start" onClick={() => setShown(shown * 4)}>
          {text("more", { n: rows.length - shown })}
        </Button>
      )}
    </div>
  );
}

/** As it would stand in the configuration; a text without quotes, unless it is empty. */
function toText(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : (JSON.stringify(value) ?? "");
}
