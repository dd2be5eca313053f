import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { McpServerView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Facts, FoldedPanel, Section } from "../../ui/panel.js";
import { Access } from "./access.js";
import { HeldTools } from "./held-tools.js";
import { Notes } from "./notes.js";
import { Offers } from "./offers.js";
import { ServerActions } from "./server-actions.js";
import { ServerLog } from "./server-log.js";
import { ServerTools } from "./server-tools.js";
import { mcpText } from "./text.js";

interface ServerPanelProps {
  readonly server: McpServerView;
  readonly isOpen: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** A server: its state, and once it is open all that is known of it. */
export function ServerPanel({ server, isOpen, onOpen }: ServerPanelProps) {
  const t = useText();
  const text = usePageText(mcpText);
  const client = useQueryClient();
  const path = `/api/mcp-servers/${encodeURIComponent(server.name)}`;
  const onSettled = () => client.invalidateQueries({ queryKey: ["/api/mcp-servers"] });
  const restart = useMutation({ mutationFn: () => change("POST", `${path}/restart`, {}), onSettled });
  const stop = useMutation({ mutationFn: () => change("POST", `${path}/stop`, {}), onSettled });
  const [showsLog, setShowsLog] = useState(false);
  const waiting = server.held.filter(({ rejected }) => rejected !== true).length;
  return (
    <FoldedPanel
      title={server.name}
      isOpen={isOpen}
      onOpen={onOpen}
      data-server={server.name}
      actions={
        <span className="flex flex-wrap items-center gap-2">
          {waiting > 0 && <Badge tone="warn">{text("waiting", { n: waiting })}</Badge>}
          <span className="text-xs text-muted">{t("mcp.tools", { n: server.tools.length })}</span>
          <WordBadge word={server.state} />
          <Button
            look="quiet"
            aria-expanded={showsLog}
            onClick={() => {
              setShowsLog(!showsLog);
              onOpen(true);
            }}
          >
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
          <ServerActions server={server} />
        </span>
      }
    >
      <FaultNote fault={restart.error ?? stop.error} />
      <Facts
        rows={[
          [
            t("mcp.target"),
            <code key="target">
              <PlainText text={server.target} line />
            </code>,
          ],
          [
            text("configured"),
            server.removable || server.file === undefined ? undefined : (
              <code key="file">
                <PlainText text={server.file} line />
              </code>
            ),
          ],
          [t("mcp.protocol"), server.protocol],
          [
            t("mcp.sandbox"),
            server.sandbox === undefined ? undefined : (
              <Access
                key="access"
                sandbox={server.sandbox}
                command={`tenon mcp-servers sandbox ${server.name}`}
              />
            ),
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
      <Notes
        notes={server.faults
          .filter(({ message }) => message !== server.fault)
          .map(({ message, count }) => (count > 1 ? `${message} (${count} ×)` : message))}
      />
      {showsLog && <ServerLog name={server.name} path={path} />}
      <HeldTools server={server} path={path} />
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
      <ServerTools tools={server.tools} />
      {server.state === "ready" && <Offers path={path} server={server.name} />}
    </FoldedPanel>
  );
}
