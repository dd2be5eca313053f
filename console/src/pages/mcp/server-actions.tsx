import { useMutation, useQueryClient } from "@tanstack/react-query";
import { change } from "../../api/request.js";
import type { McpServerView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { ConfirmButton } from "../../ui/confirm-button.js";
import { CopyButton } from "../../ui/copy-button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { mcpText } from "./text.js";

/** Log in to a server that wants it, and remove one that stands in the user's configuration. */
export function ServerActions({ server }: { readonly server: McpServerView }) {
  const text = usePageText(mcpText);
  const client = useQueryClient();
  const path = `/api/mcp-servers/${encodeURIComponent(server.name)}`;
  const onSettled = () => client.invalidateQueries({ queryKey: ["/api/mcp-servers"] });
  const login = useMutation({
    mutationFn: () => change<{ readonly url?: string }>("POST", `${path}/login`, {}),
    onSettled,
  });
  const remove = useMutation({ mutationFn: () => change("DELETE", path), onSettled });
  const url = login.data?.url;
  return (
    <>
      {server.needsLogin === true && (
        <Button disabled={login.isPending} onClick={() => login.mutate()}>
          {text("login")}
        </Button>
      )}
      {server.removable && (
        <ConfirmButton
          label={text("remove")}
          of={server.name}
          question={text("removeSure", { name: server.name })}
          disabled={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      )}
      <FaultNote fault={login.error ?? remove.error} />
      {url !== undefined && (
        <p className="basis-full text-xs wrap-anywhere">
          {text("loginOpen")}{" "}
          <a
            className="font-mono text-accent underline"
            href={/^https?:/.test(url) ? url : undefined}
            target="_blank"
            rel="noreferrer"
          >
            <PlainText text={url} line />
          </a>{" "}
          <CopyButton text={url} name="URL" />
        </p>
      )}
    </>
  );
}
