import type { ReactNode } from "react";
import type { ConnectionView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { type Translate, useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { toBytes } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, type Tone } from "../../ui/badge.js";
import { DataTable } from "../../ui/data-table.js";
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
        <DataTable
          framed
          label={t("network.count")}
          heads={heads.map((head) => t(`network.${head}`))}
          rows={rows.data.map((row) => ({ key: keyOf(row), cells: cellsOf(row, t) }))}
        />
      )}
    </>
  );
}

function cellsOf(row: ConnectionView, t: Translate): readonly ReactNode[] {
  const place = row.port === undefined ? row.host : `${row.host}:${row.port}`;
  return [
    <span key="verdict" className="inline-flex gap-1">
      <Badge tone={tones[row.verdict]}>{t(`network.verdict.${row.verdict}`)}</Badge>
      {!row.ended && <Badge tone="info">{t("network.live")}</Badge>}
    </span>,
    <span key="host">
      <code>
        <PlainText text={place} line />
      </code>
      {row.reason !== undefined && (
        <span className="block text-muted">
          <PlainText text={row.reason} />
        </span>
      )}
    </span>,
    row.address ?? "–",
    <Amount key="sent">{toBytes(row.bytesSent)}</Amount>,
    <Amount key="received">{toBytes(row.bytesReceived)}</Amount>,
    <Amount key="count">{row.connections}</Amount>,
    <span key="who">
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
    </span>,
  ];
}

function Amount({ children }: { readonly children: ReactNode }) {
  return <span className="whitespace-nowrap tabular-nums">{children}</span>;
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
