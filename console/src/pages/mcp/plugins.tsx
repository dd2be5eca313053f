import type { PluginView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { PlainText } from "../../text/plain-text.js";
import { WordBadge } from "../../ui/badge.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Facts, Panel } from "../../ui/panel.js";
import { Access } from "./access.js";
import { Notes } from "./notes.js";

/** The plugins, and whether each runs in the sandbox. */
export function Plugins() {
  const t = useText();
  const plugins = useApi<readonly PluginView[]>("/api/plugins", { everyMs: 4000 });
  return (
    <>
      <FaultNote fault={plugins.error} />
      {plugins.data?.map((plugin) => (
        <Panel
          key={plugin.source}
          title={t("mcp.plugin", { name: plugin.name })}
          actions={<WordBadge word={plugin.state} />}
        >
          <Facts
            rows={[
              [
                t("mcp.target"),
                <code key="target">
                  <PlainText text={plugin.source} line />
                </code>,
              ],
              [
                t("mcp.sandbox"),
                plugin.mode === "in-process" ? (
                  t("mcp.inProcess")
                ) : (
                  <Access
                    key="access"
                    sandbox={plugin.sandbox}
                    command={`tenon plugins sandbox ${plugin.name}`}
                  />
                ),
              ],
              [t("mcp.toolNames"), plugin.tools.length === 0 ? undefined : plugin.tools.join(", ")],
            ]}
          />
          <Notes notes={[...(plugin.fault === undefined ? [] : [plugin.fault]), ...(plugin.notes ?? [])]} />
        </Panel>
      ))}
    </>
  );
}
