import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import type { KeyObject } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ignoring, errnoOf } from "../contract/errno.js";
import type { KeyValue } from "../contract/ports/store.js";
import { privateDirectory } from "../store/state-dir.js";
import { maxBatch } from "./protocol.js";

/** The key by which workers know a front: it says in whose name a call is made. */
export interface FrontKey {
  readonly id: string;
  /** The public part, for the database. */
  readonly publicKey: string;
  /** One signature for all of the messages. */
  sign(...messages: readonly SignedMessage[]): Signature;
}

/** What is signed: a message that was meant for one subject is worth nothing on another. */
export interface SignedMessage {
  readonly subject: string;
  readonly payload: Uint8Array;
}

export interface Signature {
  readonly signature: string;
  /** The digests of the messages, where there are several. */
  readonly batch?: string | undefined;
}

/** The front's own key: made once, then kept in a private file of its state. */
export function openFrontKey(stateDir: string): FrontKey {
  privateDirectory(stateDir);
  const file = join(stateDir, "fleet-front.pem");
  const privateKey = createPrivateKey(ignoring("ENOENT", () => readFileSync(file, "utf8")) ?? makeKey(file));
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "pem" }) as string;
  return {
    id: keyIdOf(publicKey),
    publicKey,
    sign(...messages) {
      const [first] = messages;
      const batch = messages.length > 1 ? messages.map(digestOf).join(",") : undefined;
      const bytes = batch === undefined ? first && signedBytes(first) : batchBytes(batch);
      if (bytes === undefined) throw new Error("There is nothing to sign.");
      return { signature: sign(null, bytes, privateKey).toString("base64url"), batch };
    },
  };
}

/** The fronts that workers trust: those whose keys are in the tenant's database, which only its own people can write. */
export class TrustedFronts {
  readonly #store: KeyValue;
  readonly #known = new Map<string, { readonly key: KeyObject | undefined; readonly until: number }>();
  /** Signatures of several messages that were found right, so that each is checked once. */
  readonly #verified = new Set<string>();

  constructor(store: KeyValue) {
    this.#store = store;
  }

  /** Let workers trust this front. */
  async add({ id, publicKey }: FrontKey): Promise<void> {
    if ((await this.#store.get(id)) !== publicKey) await this.#store.set(id, publicKey);
  }

  /** Whether a front that is trusted signed this message, by itself or among others. */
  async hasSigned(id: string, { signature, batch }: Signature, message: SignedMessage): Promise<boolean> {
    const kept = this.#known.get(id);
    const key = kept !== undefined && kept.until > performance.now() ? kept.key : await this.#load(id);
    if (key === undefined) return false;
    const isSigned = (bytes: Uint8Array): boolean =>
      verify(null, bytes, key, Buffer.from(signature, "base64url"));
    if (batch === undefined) return isSigned(signedBytes(message));
    if (!batch.split(",", maxBatch).includes(digestOf(message))) return false;
    const known = `${id} ${signature} ${batch}`;
    if (this.#verified.has(known)) return true;
    if (!isSigned(batchBytes(batch))) return false;
    if (this.#verified.size > maxKnown) this.#verified.clear();
    this.#verified.add(known);
    return true;
  }

  /** A key that was removed is refused within a minute; one that is unknown is looked up once a second. */
  async #load(id: string): Promise<KeyObject | undefined> {
    if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
    const text = await this.#store.get(id);
    const key = typeof text === "string" && keyIdOf(text) === id ? createPublicKey(text) : undefined;
    if (this.#known.size > maxKnown) this.#known.clear();
    this.#known.set(id, { key, until: performance.now() + (key === undefined ? 1000 : 60_000) });
    return key;
  }
}

const maxKnown = 1000;

/** Makes words that only the receiver of a call knows. Random bytes are taken many at a time: each time costs as much. */
export function createProofs(): () => string {
  let bytes = Buffer.alloc(0);
  return () => {
    if (bytes.length < proofBytes) bytes = randomBytes(proofBytes * 256);
    const proof = bytes.toString("base64url", 0, proofBytes);
    bytes = bytes.subarray(proofBytes);
    return proof;
  };
}

const proofBytes = 16;

function signedBytes({ subject, payload }: SignedMessage): Uint8Array {
  return Buffer.concat([Buffer.from(`${subject}\n`), payload]);
}

/** No subject begins like this, so that a signature of several messages is none of a single one. */
function batchBytes(batch: string): Uint8Array {
  return Buffer.from(`batch\n${batch}`);
}

function digestOf(message: SignedMessage): string {
  return createHash("sha256").update(signedBytes(message)).digest("base64url");
}

function keyIdOf(publicKey: string): string {
  return createHash("sha256").update(publicKey).digest("hex").slice(0, 32);
}

/** Two that start at once end up with one key: the first that has linked its file. */
function makeKey(file: string): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
    linkSync(draft, file);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, "utf8");
}
