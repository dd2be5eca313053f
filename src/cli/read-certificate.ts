import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { messageOf } from "../contract/message-of.js";
import { UsageError, type Terminal } from "./command-line.js";
import { readNamedFile } from "./read-named-file.js";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** For the command line, which knows the server by it. */
  readonly fingerprint: string;
}

/** The certificate and its key from the files that `--tls-cert` and `--tls-key` name. */
export function readCertificate(
  { cwd }: Terminal,
  { tlsCert, tlsKey }: { readonly tlsCert?: string | undefined; readonly tlsKey?: string | undefined },
): Certificate | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new UsageError("--tls-cert and --tls-key are needed together.");
  const cert = readNamedFile("--tls-cert", resolve(cwd, tlsCert));
  const key = readNamedFile("--tls-key", resolve(cwd, tlsKey));
  try {
    createSecureContext({ cert, key });
    return { cert, key, fingerprint: new X509Certificate(cert).fingerprint256 };
  } catch (thrown) {
    throw new UsageError(`The certificate and the key cannot be used together: ${messageOf(thrown)}`);
  }
}
