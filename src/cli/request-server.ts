import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { connect } from "node:tls";
import type { Duplex } from "node:stream";

export interface ServerAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Send a request to a server of this machine. Its certificate may be for another name or from an unknown authority:
 * what counts is that it is the one that the server recorded.
 */
export function requestServer(
  url: string,
  options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly fingerprint?: string | undefined;
  },
): Promise<ServerAnswer> {
  const { fingerprint, ...rest } = options;
  const isEncrypted = url.startsWith("https:");
  const send = isEncrypted ? requestHttps : requestHttp;
  const agent = isEncrypted ? pinnedAgent(fingerprint) : new HttpAgent();
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { ...rest, headers: { ...rest.headers }, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    outgoing.on("error", reject).end();
  });
}

/** Nothing is sent before the certificate was compared. */
function pinnedAgent(fingerprint: string | undefined): HttpsAgent {
  const agent = new HttpsAgent();
  agent.createConnection = (options, done) => {
    const socket = connect({ ...(options as object), rejectUnauthorized: false }, () => {
      if (socket.getPeerCertificate().fingerprint256 === fingerprint) return done?.(null, socket);
      socket.destroy();
      done?.(new Error("The server shows another certificate."), undefined as unknown as Duplex);
    });
    socket.once("error", (error) => done?.(error, undefined as unknown as Duplex));
    return undefined;
  };
  return agent;
}
