/** The secrets of a database URL: the URL itself and its password. */
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
