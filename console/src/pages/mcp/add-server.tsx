import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { ConfigurationView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Toggle } from "../../ui/toggle.js";
import { mcpText } from "./text.js";

/** Add a server to the user's configuration: a program, in the sandbox unless it is said otherwise, or an address. */
export function AddServer() {
  const text = usePageText(mcpText);
  const configuration = useApi<ConfigurationView>("/api/configuration").data;
  if (configuration === undefined) return null;
  if (configuration.serversFile !== undefined) return <AddServerForm />;
  return <p className="text-xs text-muted">{text("addElsewhere")}</p>;
}

function AddServerForm() {
  const text = usePageText(mcpText);
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [target, setTarget] = useState("");
  const [outside, setOutside] = useState(false);
  const isAddress = /^https?:\/\//.test(target.trim());
  const add = useMutation({
    mutationFn: () => {
      const [command = "", ...args] = splitWords(target);
      const program = { command, args, ...(!outside && { sandbox: {} }) };
      const server = isAddress ? { url: target.trim() } : program;
      return change<{ readonly added: string; readonly file: string }>("POST", "/api/mcp-servers", {
        name,
        server,
      });
    },
    onSuccess: () => {
      setTimeout(() => void client.invalidateQueries({ queryKey: ["/api/mcp-servers"] }), 2500);
    },
  });
  return (
    <details className="rounded-md border border-line bg-panel p-3">
      <summary className="text-xs font-semibold">{text("add")}</summary>
      <form
        className="mt-2 flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <div className="flex flex-wrap gap-2">
          <input
            className="field w-40"
            required
            aria-label={text("name")}
            placeholder={text("name")}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <input
            className="field min-w-64 flex-1 font-mono"
            required
            spellCheck={false}
            aria-label={text("command")}
            placeholder="npx -y @modelcontextprotocol/server-memory"
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          />
          <Button look="main" type="submit" disabled={add.isPending}>
            {text("addNow")}
          </Button>
        </div>
        {!isAddress && <Toggle label={text("outside")} checked={outside} onChange={setOutside} />}
        <FaultNote fault={add.error} />
        {add.data !== undefined && (
          <p role="status" className="text-xs text-ok">
            <PlainText text={text("added", { name: add.data.added, file: add.data.file })} />
          </p>
        )}
      </form>
    </details>
  );
}

/** The words of a line; those in quotes stay together. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}
