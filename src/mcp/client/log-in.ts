import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolExecutionError } from "../../contract/errors.js";
import { openServer } from "./open-server.js";
import { createOAuthProvider, type LoginStore, type OAuthSettings } from "./oauth-provider.js";

export interface LoginOptions {
  readonly server: string;
  readonly url: string;
  readonly settings: OAuthSettings;
  readonly store: LoginStore;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** Show the person where to log in. */
  readonly onLogin: (url: URL) => void;
}

/** Log in to a server: the person opens an address, and the browser comes back to this machine with a code. */
export async function logIn(options: LoginOptions): Promise<void> {
  const { url, server, signal, settings, store, onLogin } = options;
  const state = randomBytes(24).toString("base64url");
  const back = await listenForCode(state, settings.redirectPort ?? 0, signal);
  let asked = false;
  try {
    const authProvider = createOAuthProvider({
      server,
      settings,
      store,
      state,
      // A client that registered itself named another port to come back to: it registers again.
      record: { url },
      redirectUrl: back.url,
      onLogin: (address) => {
        asked = true;
        onLogin(address);
      },
    });
    const connection = await openServer(
      { kind: "address", url, headers: options.headers },
      {
        timeoutMs: 300_000,
        signal,
        fetch: options.fetch,
        authProvider,
        finishLogin: async () => (asked ? back.params : undefined),
      },
    );
    await connection.close();
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolExecutionError(
      `The login to the MCP server "${server}" failed: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        hint: "Try again; if the server does not support client registration, set oauth.clientId.",
      },
    );
  } finally {
    back.close();
  }
}

interface Back {
  readonly url: string;
  readonly params: Promise<URLSearchParams>;
  close(): void;
}

/** A listener on this machine only, for the one answer that carries our state. */
async function listenForCode(state: string, port: number, signal: AbortSignal): Promise<Back> {
  signal.throwIfAborted();
  const server = createServer();
  const params = new Promise<URLSearchParams>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    server.on("request", (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
      const mine = pathname === "/callback" && sameText(searchParams.get("state") ?? "", state);
      const given = searchParams.get("code");
      response.writeHead(mine ? 200 : 404, {
        "content-type": "text/plain; charset=utf-8",
        connection: "close",
      });
      if (!mine) {
        response.end("Nothing here.");
        return;
      }
      response.end(
        given === null
          ? "The login failed; see the terminal."
          : "You are logged in. You can close this page.",
      );
      // A refusal carries an error instead of a code; the SDK reads it after it has checked who sent it.
      resolve(searchParams);
    });
  });
  params.catch(() => {});
  await listen(server, port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    params,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
