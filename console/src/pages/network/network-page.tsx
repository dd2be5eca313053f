import type { ConnectionView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { toBytes } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, type Tone } from "../../ui/badge.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";

const tones: Record<ConnectionView["verdict"], Tone> = { allowed: "ok", refused: "bad", failed: "warn" };

/** What commands, MCP servers and plugins reach over the network now, and reached lately. */
export default function NetworkPage() {
  const t = useText();
  const rows = useApi<readonly ConnectionView[]>("/api/connections", { everyMs: 1000 });
  const heads = ["verdict", "host", "address", "sent", "received", "count", "who"] as const;
  return (
    <>
      <FaultNote fault={rows.error} />
      {rows.data?.length === 0 && <Empty>{t("network.none")}</Empty>}
      {rows.data !== undefined && rows.data.length > 0 && (
        <div className="overflow-auto rounded-md border border-line bg-panel" tabIndex={0}>
          <table className="cards w-full text-left text-xs">
            <thead className="text-muted">
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col" className="px-2 py-1.5 font-medium whitespace-nowrap">
                    {t(`network.${head}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.data.map((row) => (
                <Row key={keyOf(row)} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Row({ row }: { readonly row: ConnectionView }) {
  const t = useText();
  const place = row.port === undefined ? row.host : `${row.host}:${row.port}`;
  return (
    <tr className="border-t border-line align-top">
      <td data-label={t("network.verdict")} className="px-2 py-1.5 whitespace-nowrap">
        <Badge tone={tones[row.verdict]}>{t(`network.verdict.${row.verdict}`)}</Badge>{" "}
        {!row.ended && <Badge tone="info">{t("network.live")}</Badge>}
      </td>
      <td data-label={t("network.host")} className="px-2 py-1.5">
        <code>
          <PlainText text={place} line />
        </code>
        {row.reason !== undefined && (
          <p className="text-muted">
            <PlainText text={row.reason} />
          </p>
        )}
      </td>
      <td data-label={t("network.address")} className="px-2 py-1.5">
        {row.address}
      </td>
      <td data-label={t("network.sent")} className="px-2 py-1.5 whitespace-nowrap tabular-nums">
        {toBytes(row.bytesSent)}
      </td>
      <td data-label={t("network.received")} className="px-2 py-1.5 whitespace-nowrap tabular-nums">
        {toBytes(row.bytesReceived)}
      </td>
      <td data-label={t("network.count")} className="px-2 py-1.5 whitespace-nowrap tabular-nums">
        {row.connections}
      </td>
      <td data-label={t("network.who")} className="px-2 py-1.5 wrap-anywhere">
        <code>
          <PlainText text={row.name} line />
        </code>{" "}
        {row.callId === "" ? (
          <span className="text-muted">
            <PlainText text={row.sessionId} line />
          </span>
        ) : (
          <a className="text-accent underline" href={hrefOf("log", row.callId)}>
            {row.callId}
          </a>
        )}
      </td>
    </tr>
  );
}

function keyOf({
  sessionId,
  callId,
  startedAt,
  host,
  port,
  address,
  verdict,
  reason,
}: ConnectionView): string {
  return [sessionId, callId, startedAt, host, port, address, verdict, reason].join(" ");
}
