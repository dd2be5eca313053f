import { useMutation, useQueryClient } from "@tanstack/react-query";
import { change } from "../../api/request.js";
import type { McpServerView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Section } from "../../ui/panel.js";
import { HeldTool } from "./held-tool.js";
import { mcpText } from "./text.js";

/** The definitions of a server that wait for a person, and those that one has rejected. */
export function HeldTools({ server, path }: { readonly server: McpServerView; readonly path: string }) {
  const t = useText();
  const text = usePageText(mcpText);
  const client = useQueryClient();
  const settle = useMutation({
    mutationFn: ({ how, tools }: { readonly how: "accept" | "reject"; readonly tools: readonly string[] }) =>
      change("POST", `${path}/${how}`, { tools }),
    onSettled: () => client.invalidateQueries({ queryKey: ["/api/mcp-servers"] }),
  });
  const waiting = server.held.filter(({ rejected }) => rejected !== true);
  const rejected = server.held.filter((held) => held.rejected === true);
  const lists = [
    [t("mcp.held", { n: waiting.length }), waiting],
    [text("rejected", { n: rejected.length }), rejected],
  ] as const;
  return (
    <>
      <FaultNote fault={settle.error} />
      {lists.map(
        ([title, list]) =>
          list.length > 0 && (
            <Section key={title} title={title}>
              <div className="flex flex-col gap-2">
                {list.map((held) => (
                  <HeldTool
                    key={held.tool}
                    held={held}
                    pending={settle.isPending}
                    onAccept={() => settle.mutate({ how: "accept", tools: [held.tool] })}
                    onReject={() => settle.mutate({ how: "reject", tools: [held.tool] })}
                  />
                ))}
                {list === waiting && list.length > 1 && (
                  <span>
                    <Button
                      disabled={settle.isPending}
                      onClick={() => settle.mutate({ how: "accept", tools: list.map(({ tool }) => tool) })}
                    >
                      {t("mcp.acceptAll")}
                    </Button>
                  </span>
                )}
              </div>
            </Section>
          ),
      )}
    </>
  );
}
