import { flag, text, useAddress, useTyped } from "../../address.js";
import { withQuery } from "../../api/request.js";
import type { Page, TokenView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useChange } from "../../api/use-change.js";
import { serverClock } from "../../api/server-clock.js";
import { usePageText } from "../../i18n/page-text.js";
import { roleText } from "../../i18n/role-text.js";
import { TimeView } from "../../text/time-view.js";
import { Badge, type Tone } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { ConfirmButton } from "../../ui/confirm-button.js";
import { DataTable } from "../../ui/data-table.js";
import { FaultNote } from "../../ui/fault-note.js";
import { NextPage } from "../../ui/next-page.js";
import { Empty, Panel } from "../../ui/panel.js";
import { SearchField } from "../../ui/search-field.js";
import { Toggle } from "../../ui/toggle.js";
import { CreateToken } from "./create-token.js";
import { tokensText } from "./text.js";

const params = { q: text(), user: text(), after: text(), all: flag() };
const path = "/api/tokens";

/** The tokens by which users come in: without their secrets, which are shown once. */
export default function TokensPage() {
  const t = usePageText(tokensText);
  const { values, set } = useAddress("tokens", params);
  const { user, after, all } = values;
  const [typed, setTyped] = useTyped(values.q, (q) => set({ q, after: "" }, { replace: true }));
  const query = { text: values.q, user, after, all: all ? "true" : undefined };
  const tokens = useApi<Page<TokenView>>(withQuery(path, query), { everyMs: 10_000 });
  const { rows, more } = tokens.data ?? { rows: [], more: false };
  return (
    <div className="flex flex-col gap-3">
      <CreateToken key={user} user={user} />
      <Panel
        title={user === "" ? t("tokens") : t("of", { user })}
        actions={
          <span className="flex flex-wrap items-center gap-2">
            {user !== "" && <Button onClick={() => set({ user: "", after: "" })}>{t("everybody")}</Button>}
            <Toggle label={t("all")} checked={all} onChange={(next) => set({ all: next, after: "" })} />
            <SearchField label={t("search")} value={typed} onChange={setTyped} className="w-52 max-w-full" />
          </span>
        }
      >
        <FaultNote fault={tokens.error} />
        {tokens.data !== undefined && rows.length === 0 && <Empty>{t("none")}</Empty>}
        {rows.length > 0 && <Tokens rows={rows} />}
        <NextPage
          after={after}
          next={more ? rows.at(-1)?.id : undefined}
          onGo={(next) => set({ after: next })}
        />
      </Panel>
    </div>
  );
}

const tones: Record<"valid" | "expired" | "revoked", Tone> = { valid: "ok", expired: "warn", revoked: "bad" };

function stateOf({ revokedAt, expiresAt }: TokenView): keyof typeof tones {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && expiresAt <= serverClock.now() ? "expired" : "valid";
}

function Tokens({ rows }: { readonly rows: readonly TokenView[] }) {
  const t = usePageText(tokensText);
  const roleOf = usePageText(roleText);
  const revoke = useChange([path]);
  return (
    <>
      <FaultNote fault={revoke.error} />
      <DataTable
        label={t("tokens")}
        heads={[t("name"), t("user"), t("role"), t("endpoint"), t("state"), t("expires"), t("used")]}
        actions={t("actions")}
        rows={rows.map((token) => ({
          key: token.id,
          cells: [
            <span key="name" className="font-mono">
              {token.name}
            </span>,
            <span key="user" className="font-mono">
              {token.principal}
            </span>,
            roleOf(token.role),
            token.endpoint === undefined ? t("everywhere") : `/mcp/${token.endpoint}`,
            <Badge key="state" tone={tones[stateOf(token)]}>
              {t(stateOf(token))}
            </Badge>,
            token.expiresAt === undefined ? (
              t("never")
            ) : (
              <TimeView key="expires" time={token.expiresAt} exact={false} />
            ),
            token.lastUsedAt === undefined ? (
              t("neverUsed")
            ) : (
              <TimeView key="used" time={token.lastUsedAt} exact={false} />
            ),
          ],
          actions: stateOf(token) === "valid" && (
            <ConfirmButton
              label={t("revoke")}
              of={token.name}
              question={t("revokeSure", { name: token.name, user: token.principal })}
              disabled={revoke.isPending}
              onConfirm={() =>
                revoke.mutate({ method: "DELETE", path: `${path}/${encodeURIComponent(token.id)}` })
              }
            />
          ),
        }))}
      />
    </>
  );
}
