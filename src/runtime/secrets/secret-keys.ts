import { createHash, randomBytes, randomUUID } from "node:crypto";
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { errnoOf } from "../../contract/errno.js";
import { ToolUnavailableError } from "../../contract/errors.js";
import { toFileProblem } from "../../contract/file-problem.js";
import type { SecretKey, SecretKeys } from "../../contract/ports/secrets.js";

export interface SecretKeysOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the key lies unless the environment has one. */
  readonly keyFile: string;
  readonly workspace: string;
  /** Hides the keys wherever they would appear. */
  readonly onKey: (text: string) => void;
}

/** The variable with the keys for secrets, separated by commas. */
const keyVariable = "TENON_SECRETS_KEY";

/** Where the keys for secrets come from: the environment, or a file that only its owner can read. */
export class SecretKeySource {
  readonly #options: SecretKeysOptions;

  constructor(options: SecretKeysOptions) {
    this.#options = options;
  }

  /** Whether the environment has the key, so that Tenon cannot replace it. */
  get isFromEnv(): boolean {
    return (this.#options.env[keyVariable] ?? "") !== "";
  }

  /** The keys as they are now; throws where there is none. */
  read(): SecretKeys {
    const { env, keyFile } = this.#options;
    const given = env[keyVariable] ?? "";
    const text = given === "" ? this.#readFile() : given;
    if (text === undefined) throw keyMissing(keyFile);
    const [first, ...others] = text.split(/[\s,]+/).filter((part) => part !== "");
    if (first === undefined) throw keyMissing(keyFile);
    const source = given === "" ? "the key file" : keyVariable;
    return [this.#toKey(first, source), ...others.map((other) => this.#toKey(other, source))];
  }

  /** Create the file with a new key; one that exists is left alone. */
  create(): { readonly file: string; readonly keyId: string } {
    const { keyFile } = this.#options;
    if (this.isFromEnv) throw keyExists(keyFile, `${keyVariable} is set`);
    this.#refuseWorkspace();
    const text = newKey();
    mkdirSync(dirname(keyFile), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(keyFile, `${text}\n`, { mode: 0o600, flag: "wx" });
    } catch (error) {
      if (errnoOf(error) === "EEXIST") throw keyExists(keyFile, "the key file exists");
      throw unreadable(keyFile, toFileProblem(error));
    }
    return { file: keyFile, keyId: this.#toKey(text, "the key file").id };
  }

  /** Put a new key before the others in the file. They stay until `keepFirst`, so that nothing is lost in between. */
  add(): void {
    this.#write([newKey(), ...this.#lines()]);
  }

  /** Drop all keys of the file but the first. */
  keepFirst(): void {
    this.#write(this.#lines().slice(0, 1));
  }

  #lines(): string[] {
    return (this.#readFile() ?? "").split(/\s+/).filter((line) => line !== "");
  }

  #write(lines: readonly string[]): void {
    const { keyFile } = this.#options;
    const draft = `${keyFile}.${randomUUID()}`;
    writeFileSync(draft, `${lines.join("\n")}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, keyFile);
  }

  #readFile(): string | undefined {
    const { keyFile } = this.#options;
    this.#refuseWorkspace();
    let fd: number | undefined;
    try {
      fd = openSync(keyFile, "r");
      const { mode } = fstatSync(fd);
      if (process.platform !== "win32" && (mode & 0o077) !== 0) throw openToOthers(keyFile);
      return readFileSync(fd, "utf8");
    } catch (error) {
      if (error instanceof ToolUnavailableError) throw error;
      if (errnoOf(error) === "ENOENT") return undefined;
      throw unreadable(keyFile, toFileProblem(error));
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  /** Agents can read the files of the workspace. */
  #refuseWorkspace(): void {
    const { keyFile, workspace } = this.#options;
    const path = relative(workspace, keyFile);
    if (!path.startsWith("..") && path !== keyFile)
      throw unreadable(keyFile, "it must be outside the workspace");
  }

  #toKey(text: string, source: string): SecretKey {
    this.#options.onKey(text);
    const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64");
    if (bytes.length !== 32 || !/^[\w+/=-]{43,64}$/.test(text))
      throw malformed(this.#options.keyFile, source);
    const id = createHash("sha256").update("tenon secrets key").update(bytes).digest("hex").slice(0, 8);
    return { id, bytes };
  }
}

function newKey(): string {
  return randomBytes(32).toString("base64url");
}

function keyMissing(file: string): Error {
  return unavailable(
    file,
    `No key for secrets: ${keyVariable} is not set, and the key file does not exist.`,
    `Create one with: tenon secrets key. Or set ${keyVariable} to 32 random bytes in base64.`,
  );
}

function keyExists(file: string, why: string): Error {
  return unavailable(
    file,
    `There is a key for secrets already: ${why}.`,
    "To replace it and encrypt all secrets again: tenon secrets rotate",
  );
}

function malformed(file: string, source: string): Error {
  return unavailable(
    file,
    `The key for secrets in ${source} is not valid: it must be 32 bytes in base64 or hex.`,
    `Create one with: tenon secrets key, or: openssl rand -base64 32`,
  );
}

function openToOthers(file: string): Error {
  return unavailable(
    file,
    "Other users can read the key file for secrets.",
    "Make it readable by its owner only: chmod 600 FILE",
  );
}

function unreadable(file: string, why: string): Error {
  return unavailable(
    file,
    `The key file for secrets cannot be used: ${why}.`,
    "Set secrets.keyFile to another file.",
  );
}

/** Callers over HTTP see the message too, so only the cause says where the file is: for the person at the machine. */
function unavailable(file: string, message: string, hint: string): Error {
  const cause = Object.assign(new Error(message), { path: file });
  return new ToolUnavailableError(message, { code: "SECRETS_KEY_MISSING", hint, retryable: false, cause });
}
