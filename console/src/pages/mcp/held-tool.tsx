import type { McpServerView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { DiffView } from "../../text/diff-view.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { mcpText } from "./text.js";

interface HeldToolProps {
  readonly held: McpServerView["held"][number];
  readonly pending: boolean;
  readonly onAccept: () => void;
  readonly onReject: () => void;
}

/** A definition that changed, or looks wrong, and waits until a person has read it. */
export function HeldTool({ held, pending, onAccept, onReject }: HeldToolProps) {
  const t = useText();
  const text = usePageText(mcpText);
  return (
    <article aria-label={held.tool} className="rounded border border-warn p-2">
      <header className="mb-2 flex flex-wrap items-center gap-2 text-xs">
        <code className="font-semibold">
          <PlainText text={held.tool} line />
        </code>
        <span className="text-warn">
          <PlainText text={held.reason} />
        </span>
        <Button className="ml-auto" disabled={pending} onClick={onAccept}>
          {t("mcp.accept")}
        </Button>
        {held.rejected !== true && (
          <Button look="danger" disabled={pending} onClick={onReject}>
            {text("reject")}
          </Button>
        )}
      </header>
      <DiffView diff={held.diff} className="max-h-72" />
    </article>
  );
}
