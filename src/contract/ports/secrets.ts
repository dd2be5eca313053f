/** For whom a secret is: a user, an MCP endpoint, both, or everybody. */
export interface SecretScope {
  /** @default everybody */
  readonly user?: string | undefined;
  /** @default every endpoint */
  readonly endpoint?: string | undefined;
}

/** Which secret is meant. */
export interface SecretRef extends SecretScope {
  readonly name: string;
}

/** A secret to store. */
export interface NewSecret extends SecretRef {
  readonly value: string;
}

/** A secret as it is listed; its value is never shown again. */
export interface SecretInfo extends SecretRef {
  readonly createdAt: number;
  readonly changedAt: number;
  /** Names the key that it is encrypted with. */
  readonly keyId: string;
}

/** A key for secrets, and the name by which stored secrets refer to it. */
export interface SecretKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** The first key encrypts; the others only decrypt what was encrypted before. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

/** What MCP servers are given on behalf of a caller. There is no way to read a value. */
export interface SecretStore {
  list(): Promise<readonly SecretInfo[]>;
  /** Store a value, encrypted; one of the same name and scope is replaced. */
  set(secret: NewSecret): Promise<SecretInfo>;
  /** `false` if there is none. */
  remove(secret: SecretRef): Promise<boolean>;
  /** Encrypt everything again: with a new key in the key file, or with the first key of `TENON_SECRETS_KEY`. */
  rotateKey(): Promise<{ readonly changed: number; readonly keyId: string }>;
  /** Create the key file; refused where a key exists already. */
  createKey(): Promise<{ readonly file: string; readonly keyId: string }>;
}
