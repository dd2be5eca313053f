import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { open, readFile, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errnoOf } from "../contract/errno.js";
import { ToolUnavailableError, ToolValidationError } from "../contract/errors.js";
import { makeFolder } from "../contract/make-folder.js";

/** A secret of 256 bits that opens the server. */
export function createToken(): string {
  return randomBytes(32).toString("base64url");
}

const shortest = 16;

/** Refuse a token that could be guessed or could not be sent. */
export function checkToken(token: string): string {
  if (token.length >= shortest && /^[\w.~+/=-]+$/.test(token)) return token;
  throw new ToolValidationError(
    `The token must have at least ${shortest} letters, digits or . _ ~ + / = - without spaces.`,
    { code: "VALUE_INVALID", hint: "Omit it and Tenon creates one, or use: openssl rand -hex 32" },
  );
}

/** The token that the person fixed, in the environment or in a file; `undefined` where one is to be made. */
export async function readToken(from: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: string | undefined;
}): Promise<string | undefined> {
  if (from.file !== undefined) return readTokenFile(from.file);
  const fixed = from.env["TENON_TOKEN"];
  return fixed === undefined || fixed === "" ? undefined : checkToken(fixed);
}

/** Refuse a file with a token or a private key in a folder of the agents, by its own path or through links: every tool could read it. */
export async function refuseSecretFileIn(folders: readonly string[], file: string): Promise<void> {
  const paths = [resolve(file), await realPathOf(resolve(file))];
  for (const folder of folders) {
    const roots = [resolve(folder), await realPathOf(resolve(folder))];
    if (!roots.some((root) => paths.some((path) => isInside(root, path)))) continue;
    throw new ToolValidationError(
      `The secret file ${file} is inside ${folder}, where the agent's commands can read it.`,
      { code: "VALUE_INVALID", hint: "Name a file outside the workspace, such as one in ~/.config/tenon." },
    );
  }
}

/** The path without symbolic links, of a file that may not be there yet. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (errnoOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    // A link to a file that does not exist yet leads to where it would be created; readlink fails for anything but a link.
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) return realPathOf(resolve(dirname(path), target));
    return join(await realPathOf(dirname(path)), basename(path));
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The token that a file holds; a file that is not there is made, readable by its owner only. */
async function readTokenFile(path: string): Promise<string> {
  try {
    return checkToken((await readFile(path, "utf8")).trim());
  } catch (thrown) {
    if (errnoOf(thrown) !== "ENOENT") throw notReadable(path, thrown);
  }
  const token = createToken();
  makeFolder(dirname(path));
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(`${token}\n`);
    await file.close();
    return token;
  } catch (thrown) {
    // Another server made it in the same moment.
    if (errnoOf(thrown) === "EEXIST") return readTokenFile(path);
    throw notReadable(path, thrown);
  }
}

/** The token for MCP hosts: it opens only `/mcp`, so that a program cannot consent to its own calls. */
export function mcpToken(token: string): string {
  return createHmac("sha256", token).update("tenon mcp hosts").digest("base64url");
}

/** Compare in a time that tells nothing of where two texts differ, nor of their lengths. */
export function sameSecret(given: string, expected: string): boolean {
  return secretCheck(expected)(given);
}

/** The same for a secret that many are compared with. */
function secretCheck(expected: string): (given: string) => boolean {
  const hashed = digest(expected);
  return (given) => timingSafeEqual(digest(given), hashed);
}

/** Find out which of several secrets was given, in the same way. */
export function secretHolders<Name extends string>(
  secrets: Readonly<Record<Name, string>>,
): (given: string) => Name | undefined {
  const known = (Object.entries(secrets) as [Name, string][]).map(
    ([name, secret]) => [name, digest(secret)] as const,
  );
  return (given) => {
    const hashed = digest(given);
    return known.find(([, expected]) => timingSafeEqual(hashed, expected))?.[0];
  };
}

/**
 * The same, and remember for each connection the secret that it proved last: hashing takes several times as long as
 * comparing. Only for secrets that stay valid as long as the process runs.
 */
export function rememberHolders<Name extends string>(
  holderOf: (given: string) => Name | undefined,
): (given: string, connection: object) => Name | undefined {
  const proven = new WeakMap<object, { readonly is: (given: string) => boolean; readonly name: Name }>();
  return (given, connection) => {
    const known = proven.get(connection);
    if (known?.is(given) === true) return known.name;
    const name = holderOf(given);
    if (name !== undefined) proven.set(connection, { is: compareWith(given), name });
    return name;
  };
}

/** Compare without hashing, in a time that tells nothing but the length. */
function compareWith(expected: string): (given: string) => boolean {
  const bytes = Buffer.from(expected);
  const other = Buffer.alloc(bytes.length);
  return (given) =>
    given.length === expected.length && other.write(given) === bytes.length && timingSafeEqual(other, bytes);
}

/** What is stored of a secret that only its owner may know. */
export function secretHash(secret: string): string {
  return digest(secret).toString("base64url");
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

function notReadable(path: string, cause: unknown): Error {
  if (cause instanceof ToolValidationError) return cause;
  return new ToolUnavailableError(
    `The token file ${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
    {
      code: "SERVICE_UNAVAILABLE",
      hint: "Name a file that you can read and write, or leave --token-file out.",
    },
  );
}
