import type { SecretScope } from "../../contract/ports/secrets.js";
import type { ProtocolEra } from "../../contract/ports/upstream.js";
import type { Profile } from "./caller.js";
import type { ServerLink } from "./server-link.js";

/** The purpose of a connection. */
export interface LinkRole {
  /** It lists the tools. */
  readonly primary: boolean;
  /** The only session that uses it, or that it is being made for. */
  readonly session: () => string | undefined;
  /** It gave the server what is this session's own, so that no other may use it. */
  readonly keepFor: (session: string) => void;
}

/** A connection, whether it is open or not. */
export interface LinkUse {
  readonly link: ServerLink;
  readonly profile: Profile;
  /** The only session that uses it. */
  readonly session: string | undefined;
}

export interface LinksOptions {
  readonly server: string;
  /** The only era that the configuration allows. */
  readonly era?: ProtocolEra | undefined;
  /** Every session has a connection of its own. @default they share connections */
  readonly perSession?: boolean | undefined;
  /** The server needs stored secrets: names the values that a caller gets. Calls with others share no connection. */
  readonly secretsFor?: ((owner: SecretScope) => Promise<string>) | undefined;
  /** The server is known to speak only the revisions of 2025. */
  readonly isOld: () => boolean;
  /** A link to the server for callers of this profile; the primary one lists the tools. */
  readonly createLink: (profile: () => Profile, role: LinkRole) => ServerLink;
}
