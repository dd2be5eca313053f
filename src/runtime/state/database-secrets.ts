/** What must never be seen of a database's address: the address itself and the password in it. */
export function databaseSecrets(address: string): string[] {
  if (!address.includes("://")) return [];
  const written = /^[^/]*:\/\/[^/@]*?:([^@]*)@/.exec(address)?.[1] ?? "";
  return [address, written, decoded(written)].filter((secret) => secret !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
