import { matchGlob } from "../words/match-glob.js";

const names =
  /^(?:\.env(?!\.(?:example|sample|template|dist|defaults)$)(?:\..*)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)|id_(?:rsa|dsa|ecdsa|ed25519)(?!\.pub$).*|\.(?:netrc|npmrc|pypirc|git-credentials|pgpass|htpasswd|vault-token)|credentials?(?:\.\w+)?|secrets?\.(?:ya?ml|json|toml|env|txt))$/i;

/** Names that a glob can be aimed at; one that does not begin with a dot matches none of them. */
const hidden = [".env", ".env.local", ".env.production", ".npmrc", ".netrc", ".pgpass", ".git-credentials"];

/** Whether a variable with this name usually holds a secret. */
export function isSecretVariable(name: string): boolean {
  return /key|token|secret|passw|passphrase|pwd$|credential|auth|cookie|private|session|dsn|database_url/i.test(
    name,
  );
}

/** Whether files with this name usually hold passwords or keys: they are not shown without consent. */
export function isSecretName(name: string, glob = false): boolean {
  if (names.test(name)) return true;
  if (!glob) return false;
  return (
    /\.env|id_rsa|id_ed|\.pem|\.key|credential|secret/i.test(name) ||
    (name.startsWith(".") && hidden.some((one) => matchGlob(name, one)))
  );
}
