import { useState } from "react";
import { text as textParam, useAddress, useTyped } from "../../address.js";
import type { McpServerView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { SearchField } from "../../ui/search-field.js";
import { AddServer } from "./add-server.js";
import { Plugins } from "./plugins.js";
import { ServerPanel } from "./server-panel.js";
import { mcpText } from "./text.js";

const params = { q: textParam() };
/** So many are shown in full; of more, only those that a person opens. */
const maxOpen = 5;

/** The MCP servers behind this one, and the plugins. The address names the server that is open. */
export default function McpPage({ id }: { readonly id?: string | undefined }) {
  const t = useText();
  const own = usePageText(mcpText);
  const { values, set, choose } = useAddress("mcp", params);
  const [typed, setTyped] = useTyped(values.q, (q) => set({ q }, { replace: true }));
  const servers = useApi<readonly McpServerView[]>("/api/mcp-servers", { everyMs: 4000 });
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const all = servers.data ?? [];
  const wanted = typed.trim().toLowerCase();
  const shown = all.filter(({ name, target }) => `${name} ${target}`.toLowerCase().includes(wanted));
  const isOpen = (name: string) => (name === id || all.length <= maxOpen) && !closed.has(name);
  const onOpen = (name: string, open: boolean) => {
    setClosed(new Set(open ? [...closed].filter((one) => one !== name) : [...closed, name]));
    if (open) choose(name, { replace: true });
    else if (name === id) choose(undefined, { replace: true });
  };
  return (
    <div className="flex flex-col gap-3">
      <AddServer />
      {all.length > maxOpen && <SearchField label={own("filter")} value={typed} onChange={setTyped} />}
      <FaultNote fault={servers.error} />
      {servers.data?.length === 0 && <Empty>{t("mcp.none")}</Empty>}
      {all.length > 0 && shown.length === 0 && <Empty>{own("noneFits")}</Empty>}
      {id !== undefined && servers.data !== undefined && !all.some(({ name }) => name === id) && (
        <Empty>{own("unknown", { name: id })}</Empty>
      )}
      {shown.map((server) => (
        <ServerPanel
          key={server.name}
          server={server}
          isOpen={isOpen(server.name)}
          onOpen={(open) => onOpen(server.name, open)}
        />
      ))}
      <Plugins />
    </div>
  );
}
