import type { AccessStore, NewToken } from "../../contract/ports/access.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";
import type { LazyState } from "../state/lazy-state.js";
import type { RecordAction } from "./audited-action.js";

/** A misspelt limit of a token would be no limit. */
const tokenKeys: KeysOf<NewToken> = {
  name: true,
  principal: true,
  role: true,
  endpoint: true,
  expiresAt: true,
};

/** The principals and tokens of the state; every change is recorded in the log, without any secret. */
export function createAuditedAccess(state: LazyState, recordAction: RecordAction): AccessStore {
  const access = async (): Promise<AccessStore> => (await state.open()).access;
  return {
    principals: async (query) => {
      checkKeys(query, { text: true, after: true, limit: true }, "access.principals");
      return (await access()).principals(query);
    },
    principal: async (name) => (await access()).principal(name),
    tokens: async (query) => {
      const keys = { text: true, principal: true, valid: true, after: true, limit: true } as const;
      checkKeys(query, keys, "access.tokens");
      return (await access()).tokens(query);
    },
    removePrincipal: (name) =>
      recordAction({
        name: "users_remove",
        arguments: { name },
        run: async () => (await access()).removePrincipal(name),
      }),
    authenticate: async (secret) => (await access()).authenticate(secret),
    identify: async (login) => (await access()).identify(login),
    signIn: (login, rules) =>
      recordAction({
        name: "sign_in",
        arguments: login,
        toResult: (identity) => identity ?? { refused: true },
        run: async () => (await access()).signIn(login, rules),
      }),
    linkLogin: (name, login) =>
      recordAction({
        name: "users_link",
        arguments: { name, ...login },
        run: async () => (await access()).linkLogin(name, login),
      }),
    addPrincipal: async (principal) => {
      checkKeys(principal, { name: true, kind: true, role: true }, "access.addPrincipal");
      return recordAction({
        name: "users_add",
        arguments: principal,
        run: async () => (await access()).addPrincipal(principal),
      });
    },
    changePrincipal: async (name, change) => {
      checkKeys(change, { role: true, disabled: true }, "access.changePrincipal");
      return recordAction({
        name: "users_change",
        arguments: { name, ...change },
        run: async () => (await access()).changePrincipal(name, change),
      });
    },
    createToken: async (token) => {
      checkKeys(token, tokenKeys, "access.createToken");
      return recordAction({
        name: "tokens_create",
        arguments: token,
        toResult: (created) => created.token,
        run: async () => (await access()).createToken(token),
      });
    },
    revokeToken: (idOrName) =>
      recordAction({
        name: "tokens_revoke",
        // Under "token" the log would not show which one; a secret that was passed by mistake hidden under any key.
        arguments: { name: idOrName },
        run: async () => (await access()).revokeToken(idOrName),
      }),
  };
}
