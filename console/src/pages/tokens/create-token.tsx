import { useState } from "react";
import type { CreatedToken } from "../../api/types.js";
import { useChange } from "../../api/use-change.js";
import { serverClock } from "../../api/server-clock.js";
import { usePageText } from "../../i18n/page-text.js";
import { roleNames, roleText } from "../../i18n/role-text.js";
import { Button } from "../../ui/button.js";
import { CopyButton } from "../../ui/copy-button.js";
import { EndpointChoice } from "../../ui/endpoint-choice.js";
import { EntryForm } from "../../ui/entry-form.js";
import { FormChoice, FormField } from "../../ui/form-field.js";
import { tokensText } from "./text.js";

const dayMs = 86_400_000;

/** A form for a new token; its secret stands here until it is put away, and nowhere else. */
export function CreateToken({ user }: { readonly user: string }) {
  const t = usePageText(tokensText);
  const roleOf = usePageText(roleText);
  const [draft, setDraft] = useState({ name: "", user, role: "", endpoint: "", days: "90" });
  const create = useChange<CreatedToken>(["/api/tokens", "/api/users"]);
  const submit = () => {
    const { name, user: owner, role, endpoint, days } = draft;
    const body = {
      name,
      ...(owner !== "" && { user: owner }),
      ...(role !== "" && { role }),
      ...(endpoint !== "" && { endpoint }),
      expiresAt: days === "" ? null : serverClock.now() + Number(days) * dayMs,
    };
    create.mutate({ method: "POST", path: "/api/tokens", body });
  };
  return (
    <EntryForm
      title={t("create")}
      action={t("createNow")}
      change={create}
      onSubmit={submit}
      fields={
        <>
          <FormField
            label={t("name")}
            value={draft.name}
            required
            maxLength={64}
            onChange={(name) => setDraft({ ...draft, name })}
          />
          <FormField
            label={t("user")}
            placeholder={t("ownProgram")}
            value={draft.user}
            maxLength={64}
            onChange={(owner) => setDraft({ ...draft, user: owner })}
          />
          <FormChoice
            label={t("role")}
            value={draft.role}
            options={[["", t("usersRole")], ...roleNames.map((role) => [role, roleOf(role)] as const)]}
            onChange={(role) => setDraft({ ...draft, role })}
          />
          <EndpointChoice
            label={t("endpoint")}
            everywhere={t("everywhere")}
            value={draft.endpoint}
            onChange={(endpoint) => setDraft({ ...draft, endpoint })}
          />
          <FormChoice
            label={t("expires")}
            value={draft.days}
            options={[
              ["30", t("days", { n: 30 })],
              ["90", t("days", { n: 90 })],
              ["365", t("year")],
              ["", t("never")],
            ]}
            onChange={(days) => setDraft({ ...draft, days })}
          />
        </>
      }
    >
      {create.data !== undefined && (
        <div role="status" className="mt-2 rounded border border-ok bg-ok-soft px-3 py-2 text-xs">
          <p className="font-medium">{t("secret", { name: create.data.token.name })}</p>
          <p className="flex flex-wrap items-center gap-2">
            <code className="wrap-anywhere select-all">{create.data.secret}</code>
            <CopyButton text={create.data.secret} name={t("secret", { name: create.data.token.name })} />
          </p>
          <p className="mt-1">{t("once")}</p>
          <Button className="mt-1" onClick={() => create.reset()}>
            {t("done")}
          </Button>
        </div>
      )}
    </EntryForm>
  );
}
