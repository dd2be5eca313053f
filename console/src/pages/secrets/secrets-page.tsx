import { useState } from "react";
import { withQuery } from "../../api/request.js";
import type { SecretView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useChange } from "../../api/use-change.js";
import { usePageText } from "../../i18n/page-text.js";
import { TimeView } from "../../text/time-view.js";
import { ConfirmButton } from "../../ui/confirm-button.js";
import { DataTable } from "../../ui/data-table.js";
import { EndpointChoice } from "../../ui/endpoint-choice.js";
import { DoneNote, EntryForm } from "../../ui/entry-form.js";
import { FaultNote } from "../../ui/fault-note.js";
import { FormField } from "../../ui/form-field.js";
import { Empty, Panel } from "../../ui/panel.js";
import { secretsText } from "./text.js";

const path = "/api/secrets";
const empty = { name: "", value: "", user: "", endpoint: "" };

/** The names of the secrets that MCP servers are given; values can be stored, not read. */
export default function SecretsPage() {
  const t = usePageText(secretsText);
  const secrets = useApi<readonly SecretView[]>(path, { everyMs: 10_000 });
  return (
    <div className="flex flex-col gap-3">
      <StoreSecret />
      <Panel title={t("secrets")}>
        <p className="mb-2 text-xs text-muted">{t("about", { example: "${secret:NAME}" })}</p>
        <FaultNote fault={secrets.error} />
        {secrets.data?.length === 0 && <Empty>{t("none")}</Empty>}
        {secrets.data !== undefined && secrets.data.length > 0 && <Secrets rows={secrets.data} />}
      </Panel>
    </div>
  );
}

function StoreSecret() {
  const t = usePageText(secretsText);
  const [draft, setDraft] = useState(empty);
  const store = useChange<SecretView>([path]);
  const submit = () => {
    const { name, value, user, endpoint } = draft;
    const body = { value, ...(user !== "" && { user }), ...(endpoint !== "" && { endpoint }) };
    const to = `${path}/${encodeURIComponent(name)}`;
    // What was typed is forgotten as soon as it is stored.
    store.mutate({ method: "PUT", path: to, body }, { onSuccess: () => setDraft(empty) });
  };
  return (
    <EntryForm
      title={t("store")}
      action={t("storeNow")}
      change={store}
      onSubmit={submit}
      fields={
        <>
          <FormField
            label={t("name")}
            value={draft.name}
            required
            pattern="[A-Za-z_][A-Za-z0-9_]{0,63}"
            onChange={(name) => setDraft({ ...draft, name })}
          />
          <FormField
            label={t("value")}
            type="password"
            autoComplete="new-password"
            value={draft.value}
            required
            onChange={(value) => setDraft({ ...draft, value })}
          />
          <FormField
            label={t("user")}
            placeholder={t("everybody")}
            value={draft.user}
            maxLength={64}
            onChange={(user) => setDraft({ ...draft, user })}
          />
          <EndpointChoice
            label={t("endpoint")}
            everywhere={t("everywhere")}
            value={draft.endpoint}
            onChange={(endpoint) => setDraft({ ...draft, endpoint })}
          />
        </>
      }
    >
      {store.data !== undefined && <DoneNote>{t("stored", { name: store.data.name })}</DoneNote>}
    </EntryForm>
  );
}

function Secrets({ rows }: { readonly rows: readonly SecretView[] }) {
  const t = usePageText(secretsText);
  const remove = useChange([path]);
  return (
    <>
      <FaultNote fault={remove.error} />
      <DataTable
        label={t("secrets")}
        heads={[t("name"), t("whose"), t("endpoint"), t("changed")]}
        actions={t("actions")}
        rows={rows.map(({ name, user, endpoint, changedAt }) => ({
          key: `${name} ${user ?? ""} ${endpoint ?? ""}`,
          cells: [
            <span key="name" className="font-mono">
              {name}
            </span>,
            user ?? t("everybody"),
            endpoint === undefined ? t("everywhere") : `/mcp/${endpoint}`,
            <TimeView key="changed" time={changedAt} exact={false} />,
          ],
          actions: (
            <ConfirmButton
              label={t("remove")}
              of={[name, user, endpoint].filter((part) => part !== undefined).join(" ")}
              question={t("removeSure", { name })}
              disabled={remove.isPending}
              onConfirm={() =>
                remove.mutate({
                  method: "DELETE",
                  path: withQuery(`${path}/${encodeURIComponent(name)}`, { user, endpoint }),
                })
              }
            />
          ),
        }))}
      />
    </>
  );
}
