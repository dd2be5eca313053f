import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { TextBlock } from "../../text/text-block.js";
import { FaultNote } from "../../ui/fault-note.js";

/** What a server wrote to its standard error, as it comes. */
export function ServerLog({ name, path }: { readonly name: string; readonly path: string }) {
  const t = useText();
  const log = useApi<{ readonly lines: readonly string[] }>(`${path}/logs`, { everyMs: 2000 });
  return (
    <div className="mt-2">
      <FaultNote fault={log.error} />
      {log.data?.lines.length === 0 && <p className="text-xs text-muted">{t("mcp.noLog")}</p>}
      {log.data !== undefined && log.data.lines.length > 0 && (
        <TextBlock
          text={log.data.lines.join("\n")}
          label={t("mcp.logOf", { name })}
          printed
          follow
          className="max-h-72"
        />
      )}
    </div>
  );
}
