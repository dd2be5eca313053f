import { useEffect, useMemo } from "react";
import { text as textParam, useAddress, useTyped } from "../../address.js";
import type { ToolRow } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useFeed } from "../../feed/use-feed.js";
import { usePageTitle } from "../../i18n/page-title.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { SearchField } from "../../ui/search-field.js";
import { linesOf, ToolList } from "./tool-list.js";
import { ToolPane } from "./tool-pane.js";

const params = { q: textParam(), tab: textParam("try"), from: textParam() };

/** All tools by category, and one of them in full. */
export default function ToolsPage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const titleOf = usePageTitle();
  const mark = useFeed((state) => state.toolsMark);
  const tools = useApi<readonly ToolRow[]>("/api/tools");
  const { refetch } = tools;
  useEffect(() => {
    const timer = setTimeout(() => void refetch(), 300);
    return () => clearTimeout(timer);
  }, [Math.ceil(mark / 10), refetch]);
  const { values, set } = useAddress("tools", params);
  const { tab } = values;
  const [typed, setTyped] = useTyped(values.q, (q) => set({ q }, { replace: true }));
  const lines = useMemo(() => linesOf(tools.data ?? [], typed), [tools.data, typed]);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
      <div
        className={`flex min-h-0 flex-col rounded-md border border-line bg-panel lg:max-h-none lg:w-72 lg:flex-none ${id === undefined ? "flex-1" : "max-h-60"}`}
      >
        <div className="border-b border-line p-2">
          <SearchField label={t("tools.search")} value={typed} onChange={setTyped} className="w-full" />
        </div>
        <FaultNote fault={tools.error} />
        {tools.data !== undefined && lines.length === 0 && <Empty>{t("tools.none")}</Empty>}
        <ToolList
          lines={lines}
          label={titleOf("tools")}
          hrefOf={(name) => hrefOf("tools", name, { q: values.q })}
          current={id}
        />
      </div>
      <div className={`min-w-0 flex-1 overflow-auto ${id === undefined ? "max-lg:hidden" : ""}`}>
        {id === undefined ? (
          <Empty>{t("tools.choose")}</Empty>
        ) : (
          <ToolPane
            key={`${id} ${values.from}`}
            name={id}
            from={values.from}
            tab={tab}
            onTab={(next) => set({ tab: next })}
          />
        )}
      </div>
    </div>
  );
}
