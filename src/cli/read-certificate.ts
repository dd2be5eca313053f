import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { messageOf } from "../contract/message-of.js";
import { UsageError, type Terminal } from "./command-line.js";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** For the command line, which knows the server by it. */
  readonly fingerprint: string;
}

/** The certificate and its key from the files that `--tls-cert` and `--tls-key` name. */
export async function readCertificate(
  { cwd }: Terminal,
  { tlsCert, tlsKey }: { readonly tlsCert?: string | undefined; readonly tlsKey?: string | undefined },
): Promise<Certificate | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new UsageError("--tls-cert and --tls-key are needed together.");
  const [cert, key] = await Promise.all([
    readPem("--tls-cert", resolve(cwd, tlsCert)),
    readPem("--tls-key", resolve(cwd, tlsKey)),
  ]);
  try {
    createSecureContext({ cert, key });
    return { cert, key, fingerprint: new X509Certificate(cert).fingerprint256 };
  } catch (thrown) {
    throw new UsageError(`The certificate and the key cannot be used together: ${messageOf(thrown)}`);
  }
}

async function readPem(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw new UsageError(`Cannot read ${flag} ${file}: ${messageOf(thrown)}`);
  }
}
