import type { McpServerView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { hrefOf } from "../../route.js";
import { PlainText } from "../../text/plain-text.js";
import { formText } from "./text.js";

/** Says why a tool that a server offers cannot be called, and where to review it; nothing of other names. */
export function HeldNote({ name }: { readonly name: string }) {
  const own = usePageText(formText);
  const servers = useApi<readonly McpServerView[]>("/api/mcp-servers").data ?? [];
  const server = servers.find((each) => each.held.some(({ tool }) => `${each.name}:${tool}` === name));
  const held = server?.held.find(({ tool }) => `${server.name}:${tool}` === name);
  if (server === undefined || held === undefined) return null;
  return (
    <p role="status" className="my-2 rounded border border-warn bg-warn-soft px-3 py-2 text-xs text-warn">
      {own("held", { server: server.name })} <PlainText text={held.reason} />.{" "}
      <a className="font-medium underline" href={hrefOf("mcp", server.name)}>
        {own("review")}
      </a>
    </p>
  );
}
