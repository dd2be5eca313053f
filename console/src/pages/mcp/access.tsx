import type { McpServerView } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { PlainText } from "../../text/plain-text.js";
import { CopyButton } from "../../ui/copy-button.js";

/** Whether a program runs in the sandbox, and what it may use there; `command` is the one that moves it in. */
export function Access({
  sandbox,
  command,
}: {
  readonly sandbox: McpServerView["sandbox"];
  readonly command: string;
}) {
  const t = useText();
  if (sandbox === undefined) return null;
  if (sandbox === false) {
    return (
      <span className="text-warn">
        <PlainText text={t("mcp.outside", { command })} />{" "}
        <CopyButton text={command} name={t("fact.command")} />
      </span>
    );
  }
  const { network = false, readable = [], writable = [] } = sandbox;
  const hosts = network === true ? [t("mcp.allHosts")] : network === false ? [] : network;
  const parts = [
    ...(hosts.length > 0 ? [t("mcp.reaches", { what: hosts.join(", ") })] : []),
    ...(readable.length > 0 ? [t("mcp.reads", { what: readable.join(", ") })] : []),
    ...(writable.length > 0 ? [t("mcp.writes", { what: writable.join(", ") })] : []),
  ];
  return <PlainText text={t("mcp.inside", { access: parts.join("; ") || t("mcp.ownFolder") })} />;
}
