import type { WorkStores } from "../../contract/ports/store.js";
import { checkStoreKeys } from "./store-keys.js";

/** Stores whose methods open the state on first use. */
export function deferStores(open: () => Promise<WorkStores>): WorkStores {
  return proxyOf((store) => proxyOf((method) => deferMethod(open, store, method))) as unknown as WorkStores;
}

/** An object whose members are made when they are read. It is no promise: `then` does not exist. */
function proxyOf(member: (name: string) => unknown): object {
  return new Proxy(
    {},
    { get: (_, name) => (typeof name === "symbol" || name === "then" ? undefined : member(name)) },
  );
}

function deferMethod(open: () => Promise<WorkStores>, store: string, method: string) {
  return async (...args: unknown[]): Promise<unknown> => {
    checkStoreKeys(store, method, args);
    const stores = (await open()) as unknown as Record<
      string,
      Record<string, (...args: unknown[]) => unknown>
    >;
    return stores[store]![method]!(...args);
  };
}
