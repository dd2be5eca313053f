import { createHash, randomUUID } from "node:crypto";
import { ToolValidationError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import { maxInlineBytes, maxMessageBytes } from "../protocol.js";
import type { Bus } from "./open-bus.js";

type Objects = Pick<Bus, "objects">;

/** What a message says of a body that lies in the object store. */
interface Carried {
  readonly object: string;
  readonly sha256: string;
  readonly size: number;
}

/** The bytes of a message; a large body goes to the object store first, and the message names it. */
export async function pack({ objects }: Objects, body: unknown): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  if (bytes.length <= maxInlineBytes) return bytes;
  if (bytes.length > maxMessageBytes)
    throw new ToolValidationError(`A message of the fleet has at most ${maxMessageBytes} bytes.`, {
      code: "ARGUMENTS_UNSAFE",
      hint: "Send less at once, for example the path of a file instead of its content.",
    });
  const carried: Carried = { object: randomUUID(), sha256: digestOf(bytes), size: bytes.length };
  await objects.putBlob({ name: carried.object }, bytes);
  return new TextEncoder().encode(JSON.stringify({ carried }));
}

/** Read a message that may name its body; throws where it is not what its sender sent. */
export async function unpack({ objects }: Objects, bytes: Uint8Array): Promise<unknown> {
  const body = parse(bytes);
  const { carried } = Object(body) as { carried?: Carried };
  if (carried === undefined) return body;
  const { object, sha256, size } = carried;
  if (typeof object !== "string" || !/^[0-9a-f-]{36}$/.test(object) || !(size <= maxMessageBytes))
    throw new Error("A message refers to an invalid body.");
  // What a message says of the size of its body is only true where the store says so, too.
  const kept = await objects.info(object);
  if (kept !== null && kept.size !== size) throw new Error("A message refers to an invalid body.");
  const found = kept && (await objects.getBlob(object));
  if (found === null) throw new Error("The body of a message is no longer in the object store.");
  if (digestOf(found) !== sha256) throw new Error("The body of a message was changed in transit.");
  return parse(found);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch (cause) {
    throw new Error(`Invalid JSON in a message: ${messageOf(cause)}`, { cause });
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
