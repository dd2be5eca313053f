import { useState } from "react";
import { text, useAddress, useTyped } from "../../address.js";
import { withQuery } from "../../api/request.js";
import type { Page, UserView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useChange } from "../../api/use-change.js";
import { usePageText } from "../../i18n/page-text.js";
import { roleNames, roleText } from "../../i18n/role-text.js";
import { hrefOf } from "../../route.js";
import { TimeView } from "../../text/time-view.js";
import { Badge } from "../../ui/badge.js";
import { Button, LinkButton } from "../../ui/button.js";
import { ConfirmButton } from "../../ui/confirm-button.js";
import { DataTable } from "../../ui/data-table.js";
import { DoneNote, EntryForm } from "../../ui/entry-form.js";
import { FaultNote } from "../../ui/fault-note.js";
import { FormChoice, FormField } from "../../ui/form-field.js";
import { NextPage } from "../../ui/next-page.js";
import { Empty, Panel } from "../../ui/panel.js";
import { SearchField } from "../../ui/search-field.js";
import { peopleText } from "./text.js";

const params = { q: text(), after: text() };
const path = "/api/users";

/** The people and programs that may use this server, and what each may do. */
export default function PeoplePage() {
  const t = usePageText(peopleText);
  const { values, set } = useAddress("people", params);
  const [typed, setTyped] = useTyped(values.q, (q) => set({ q, after: "" }, { replace: true }));
  const users = useApi<Page<UserView>>(withQuery(path, { text: values.q, after: values.after }), {
    everyMs: 10_000,
  });
  const { rows, more } = users.data ?? { rows: [], more: false };
  return (
    <div className="flex flex-col gap-3">
      <AddUser />
      <Panel
        title={t("people")}
        actions={
          <SearchField label={t("search")} value={typed} onChange={setTyped} className="w-52 max-w-full" />
        }
      >
        <FaultNote fault={users.error} />
        {users.data !== undefined && rows.length === 0 && (
          <Empty>{t(values.q === "" ? "none" : "noneFound")}</Empty>
        )}
        {rows.length > 0 && <Users rows={rows} />}
        <NextPage
          after={values.after}
          next={more ? rows.at(-1)?.name : undefined}
          onGo={(after) => set({ after })}
        />
      </Panel>
    </div>
  );
}

function AddUser() {
  const t = usePageText(peopleText);
  const roleOf = usePageText(roleText);
  const [draft, setDraft] = useState({ name: "", role: "operator", kind: "person" });
  const add = useChange<UserView>([path]);
  return (
    <EntryForm
      title={t("add")}
      action={t("addNow")}
      change={add}
      onSubmit={() => add.mutate({ method: "POST", path, body: draft })}
      fields={
        <>
          <FormField
            label={t("name")}
            value={draft.name}
            required
            maxLength={64}
            onChange={(name) => setDraft({ ...draft, name })}
          />
          <FormChoice
            label={t("role")}
            value={draft.role}
            options={roleNames.map((role) => [role, roleOf(role)])}
            onChange={(role) => setDraft({ ...draft, role })}
          />
          <FormChoice
            label={t("kind")}
            value={draft.kind}
            options={[
              ["person", t("person")],
              ["program", t("program")],
            ]}
            onChange={(kind) => setDraft({ ...draft, kind })}
          />
        </>
      }
    >
      {add.data !== undefined && <DoneNote>{t("added", { name: add.data.name })}</DoneNote>}
    </EntryForm>
  );
}

function Users({ rows }: { readonly rows: readonly UserView[] }) {
  const t = usePageText(peopleText);
  const roleOf = usePageText(roleText);
  const changing = useChange([path]);
  const to = (name: string): string => `${path}/${encodeURIComponent(name)}`;
  const put = (name: string, body: object) => changing.mutate({ method: "PUT", path: to(name), body });
  return (
    <>
      <FaultNote fault={changing.error} />
      <DataTable
        label={t("people")}
        heads={[t("name"), t("role"), t("kind"), t("state"), t("since")]}
        actions={t("actions")}
        rows={rows.map(({ name, role, roleFromLogin, kind, disabledAt, createdAt }) => ({
          key: name,
          cells: [
            <span key="name" className="font-mono">
              {name}
            </span>,
            <span key="role" className="inline-flex items-center gap-1">
              <select
                className="field"
                aria-label={t("roleOf", { name })}
                value={role}
                disabled={changing.isPending}
                onChange={(event) => put(name, { role: event.target.value })}
              >
                {roleNames.map((each) => (
                  <option key={each} value={each}>
                    {roleOf(each)}
                  </option>
                ))}
              </select>
              {roleFromLogin === true && <Badge>{t("byLogin")}</Badge>}
            </span>,
            t(kind),
            <Badge key="state" tone={disabledAt === undefined ? "ok" : "warn"}>
              {t(disabledAt === undefined ? "active" : "disabled")}
            </Badge>,
            <TimeView key="since" time={createdAt} exact={false} />,
          ],
          actions: (
            <>
              <LinkButton href={hrefOf("tokens", undefined, { user: name })}>
                <span aria-hidden="true">{t("tokens")}</span>
                <span className="sr-only">{t("tokensOf", { name })}</span>
              </LinkButton>
              {disabledAt === undefined ? (
                <ConfirmButton
                  label={t("disable")}
                  of={name}
                  question={t("disableSure", { name })}
                  disabled={changing.isPending}
                  onConfirm={() => put(name, { disabled: true })}
                />
              ) : (
                <Button
                  aria-label={`${t("enable")}: ${name}`}
                  disabled={changing.isPending}
                  onClick={() => put(name, { disabled: false })}
                >
                  {t("enable")}
                </Button>
              )}
              <ConfirmButton
                label={t("remove")}
                of={name}
                question={t("removeSure", { name })}
                disabled={changing.isPending}
                onConfirm={() => changing.mutate({ method: "DELETE", path: to(name) })}
              />
            </>
          ),
        }))}
      />
    </>
  );
}
