import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypt a text with a key of 32 bytes (AES-256-GCM).
 *
 * @param purpose What it is for; it opens with the same purpose only, so that nothing can be put in another's place.
 */
export function seal(text: string, key: Uint8Array, purpose: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** The text again; `undefined` where the key or the purpose is another one, or somebody changed it. */
export function unseal(sealed: string, key: Uint8Array, purpose: string): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < ivBytes + tagBytes) return undefined;
  const iv = bytes.subarray(0, ivBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
    return text.toString("utf8");
  } catch {
    return undefined; // It does not authenticate.
  }
}
