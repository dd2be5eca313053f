import type { AccessStore } from "../../contract/ports/access.js";
import type { LazyState } from "../state/lazy-state.js";
import type { RecordAction } from "./audited-action.js";

/** The principals and tokens of the state; every change is recorded in the log, without any secret. */
export function createAuditedAccess(state: LazyState, recordAction: RecordAction): AccessStore {
  const access = async (): Promise<AccessStore> => (await state.open()).access;
  return {
    principals: async () => (await access()).principals(),
    tokens: async () => (await access()).tokens(),
    authenticate: async (secret) => (await access()).authenticate(secret),
    addPrincipal: (principal) =>
      recordAction({
        name: "users_add",
        arguments: principal,
        run: async () => (await access()).addPrincipal(principal),
      }),
    changePrincipal: (name, change) =>
      recordAction({
        name: "users_change",
        arguments: { name, ...change },
        run: async () => (await access()).changePrincipal(name, change),
      }),
    createToken: (token) =>
      recordAction({
        name: "tokens_create",
        arguments: token,
        toResult: (created) => created.token,
        run: async () => (await access()).createToken(token),
      }),
    revokeToken: (idOrName) =>
      recordAction({
        name: "tokens_revoke",
        arguments: { token: idOrName },
        run: async () => (await access()).revokeToken(idOrName),
      }),
  };
}
