import { useState } from "react";
import type { McpServerView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { FoldedText } from "../../text/folded-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { Section } from "../../ui/panel.js";
import { mcpText } from "./text.js";

const perPage = 50;

/** The tools of a server, some at a time. */
export function ServerTools({ tools }: { readonly tools: McpServerView["tools"] }) {
  const t = useText();
  const text = usePageText(mcpText);
  const [shown, setShown] = useState(perPage);
  if (tools.length === 0) return null;
  return (
    <Section title={t("mcp.tools", { n: tools.length })}>
      <ul className="grid gap-1 text-xs lg:grid-cols-2">
        {tools.slice(0, shown).map((tool) => (
          <li key={tool.name} className="min-w-0">
            <code className="font-semibold">
              <PlainText text={tool.name} line />
            </code>{" "}
            <span className="text-muted">
              <FoldedText text={tool.description} limit={400} />
            </span>
            {tool.warnings.map((warning) => (
              <p key={warning} className="text-warn">
                ⚠ <PlainText text={warning} />
              </p>
            ))}
          </li>
        ))}
      </ul>
      {tools.length > shown && (
        <Button className="mt-1" onClick={() => setShown(shown * 4)}>
          {text("more", { n: (tools.length - shown).toLocaleString() })}
        </Button>
      )}
    </Section>
  );
}
