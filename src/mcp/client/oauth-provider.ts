import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { ToolUnavailableError } from "../../contract/errors.js";

/** The stored part of a login; all of it is secret. */
export interface LoginRecord {
  /** The address that it is for: tokens go nowhere else. */
  readonly url: string;
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
}

/** Where logins are kept, by the name of the server. */
export interface LoginStore {
  load(server: string): Promise<LoginRecord | undefined>;
  save(server: string, record: LoginRecord): Promise<void>;
  remove(server: string): Promise<boolean>;
}

/** The person's configuration of the login. */
export interface OAuthSettings {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scope?: string | undefined;
  readonly redirectPort?: number | undefined;
  /** Address of a document about the client, for servers that take it instead of a registration. */
  readonly clientMetadataUrl?: string | undefined;
}

export interface OAuthOptions {
  readonly server: string;
  readonly settings: OAuthSettings;
  readonly store: LoginStore;
  readonly record: LoginRecord;
  /** Where the browser comes back to, while a person logs in. */
  readonly redirectUrl?: string | undefined;
  readonly state?: string | undefined;
  /** Show the person where to log in. @default nobody is there: the error says so */
  readonly onLogin?: ((url: URL) => void) | undefined;
}

/** The SDK's way to tokens: kept ones are sent and renewed; a new login needs a person. */
export function createOAuthProvider(options: OAuthOptions): OAuthClientProvider {
  const { server, settings, store, redirectUrl, onLogin, state } = options;
  let { record } = options;
  let verifier = "";
  // Known from the redirect to its return only: a server may move to another place to log in at.
  let discovery: OAuthDiscoveryState | undefined;
  const keep = async (changes: Partial<LoginRecord>): Promise<void> => {
    record = { ...record, ...changes };
    await store.save(server, record);
  };
  return {
    redirectUrl: redirectUrl ?? "http://127.0.0.1/callback",
    clientMetadata: clientMetadata(settings, redirectUrl),
    ...(state !== undefined && { state: () => state }),
    ...(settings.clientMetadataUrl !== undefined && { clientMetadataUrl: settings.clientMetadataUrl }),
    clientInformation: () => {
      const { clientId, clientSecret } = settings;
      if (clientId === undefined) return record.client;
      return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
    },
    saveClientInformation: (client) => keep({ client }),
    tokens: () => record.tokens,
    saveTokens: (tokens) => {
      discovery = undefined;
      return keep({ tokens });
    },
    redirectToAuthorization: (url) => {
      if (onLogin === undefined) throw loginNeeded(server);
      onLogin(url);
    },
    saveCodeVerifier: (code) => void (verifier = code),
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => void (discovery = found),
    discoveryState: () => discovery,
    invalidateCredentials: (scope) => keep(withoutCredentials(scope)),
  };
}

/** The error of a server that requires a login. */
export function loginNeeded(server: string, cause?: unknown): ToolUnavailableError {
  return new ToolUnavailableError(`The MCP server "${server}" requires a login.`, {
    code: "LOGIN_NEEDED",
    hint: `Log in with: tenon mcp-servers login ${server}`,
    retryable: false,
    ...(cause !== undefined && { cause }),
  });
}

function clientMetadata({ scope, clientSecret }: OAuthSettings, redirectUrl?: string): OAuthClientMetadata {
  return {
    client_name: "Tenon",
    redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: clientSecret === undefined ? "none" : "client_secret_basic",
    ...(scope !== undefined && { scope }),
  };
}

function withoutCredentials(
  scope: "all" | "client" | "tokens" | "verifier" | "discovery",
): Partial<LoginRecord> {
  return {
    ...((scope === "all" || scope === "tokens") && { tokens: undefined }),
    ...((scope === "all" || scope === "client") && { client: undefined }),
  };
}
