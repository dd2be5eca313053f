import { attempt } from "../../contract/errno.js";

/** The secrets of a database URL: the URL itself and its password. */
export function databaseSecrets(address: string): string[] {
  if (!address.includes("://")) return [];
  const written = /^[^/]*:\/\/[^/@]*?:([^@]*)@/.exec(address)?.[1] ?? "";
  return [address, written, attempt(() => decodeURIComponent(written)) ?? ""].filter(
    (secret) => secret !== "",
  );
}
