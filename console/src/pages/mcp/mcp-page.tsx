import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { McpServerView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { FoldedText } from "../../text/folded-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, toneOf } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Facts, Panel, Section } from "../../ui/panel.js";
import { Access } from "./access.js";
import { HeldTool } from "./held-tool.js";
import { ServerLog } from "./server-log.js";

/** The MCP servers behind this one. */
export default function McpPage() {
  const t = useText();
  const servers = useApi<readonly McpServerView[]>("/api/mcp-servers", { everyMs: 4000 });
  return (
    <div className="flex flex-col gap-3">
      <FaultNote fault={servers.error} />
      {servers.data?.length === 0 && <Empty>{t("mcp.none")}</Empty>}
      {servers.data?.map((server) => (
        <Server key={server.name} server={server} />
      ))}
    </div>
  );
}

function Server({ server }: { readonly server: McpServerView }) {
  const t = useText();
  const client = useQueryClient();
  const path = `/api/mcp-servers/${encodeURIComponent(server.name)}`;
  const onSettled = () => client.invalidateQueries({ queryKey: ["/api/mcp-servers"] });
  const restart = useMutation({ mutationFn: () => change("POST", `${path}/restart`, {}), onSettled });
  const stop = useMutation({ mutationFn: () => change("POST", `${path}/stop`, {}), onSettled });
  const [showsLog, setShowsLog] = useState(false);
  const accept = useMutation({
    mutationFn: (tools: readonly string[] | undefined) =>
      change("POST", `${path}/accept`, tools === undefined ? {} : { tools }),
    onSettled,
  });
  return (
    <Panel
      title={server.name}
      actions={
        <span className="flex items-center gap-2">
          <Badge tone={toneOf(server.state)}>{server.state}</Badge>
          <Button look="quiet" aria-expanded={showsLog} onClick={() => setShowsLog(!showsLog)}>
            {t(showsLog ? "mcp.hideLog" : "mcp.log")}
          </Button>
          <Button
            disabled={stop.isPending || server.state === "stopped" || server.state === "disabled"}
            onClick={() => stop.mutate()}
          >
            {t("mcp.stop")}
          </Button>
          <Button disabled={restart.isPending} onClick={() => restart.mutate()}>
            {t("mcp.restart")}
          </Button>
        </span>
      }
    >
      <FaultNote fault={restart.error ?? stop.error ?? accept.error} />
      <Facts
        rows={[
          [
            t("mcp.target"),
            <code key="target">
              <PlainText text={server.target} line />
            </code>,
          ],
          [t("mcp.protocol"), server.protocol],
          [
            t("mcp.sandbox"),
            server.sandbox === undefined ? undefined : <Access key="access" server={server} />,
          ],
          [
            t("fact.error"),
            server.fault === undefined ? undefined : (
              <span key="fault" className="text-bad">
                <PlainText text={server.fault} />
              </span>
            ),
          ],
        ]}
      />
      {showsLog && <ServerLog name={server.name} path={path} />}
      {server.held.length > 0 && (
        <Section title={t("mcp.held", { n: server.held.length })}>
          <div className="flex flex-col gap-2">
            {server.held.map((held) => (
              <HeldTool
                key={held.tool}
                held={held}
                pending={accept.isPending}
                onAccept={() => accept.mutate([held.tool])}
              />
            ))}
            {server.held.length > 1 && (
              <span>
                <Button
                  disabled={accept.isPending}
                  onClick={() => accept.mutate(server.held.map((held) => held.tool))}
                >
                  {t("mcp.acceptAll")}
                </Button>
              </span>
            )}
          </div>
        </Section>
      )}
      {server.refused.length > 0 && (
        <Section title={t("mcp.refused")}>
          <ul className="text-xs">
            {server.refused.map((refused) => (
              <li key={refused.tool}>
                <code>
                  <PlainText text={refused.tool} line />
                </code>{" "}
                <span className="text-bad">
                  <PlainText text={refused.reason} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title={t("mcp.tools", { n: server.tools.length })}>
        <ul className="grid gap-1 text-xs lg:grid-cols-2">
          {server.tools.map((tool) => (
            <li key={tool.name} className="min-w-0">
              <code className="font-semibold">
                <PlainText text={tool.name} line />
              </code>{" "}
              <span className="text-muted">
                <FoldedText text={tool.description} limit={200} />
              </span>
              {tool.warnings.map((warning) => (
                <p key={warning} className="text-warn">
                  ⚠ <PlainText text={warning} />
                </p>
              ))}
            </li>
          ))}
        </ul>
      </Section>
    </Panel>
  );
}
