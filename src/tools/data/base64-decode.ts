import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";

/** Reads Base64 as text. */
export const base64Decode = defineTool({
  name: "base64_decode",
  description: "Decode Base64 that holds UTF-8 text; anything malformed is refused.",
  category: "data",
  annotations: { title: "Decode Base64", readOnly: true, idempotent: true, cacheable: true },
  examples: [{ arguments: { encoded: "SGVsbG8=" } }],
  input: z.object({
    encoded: z
      .string()
      .describe("Base64 in the standard alphabet, padded with =; it may be broken into lines."),
  }),
  output: z.object({ decoded: z.string() }),
  execute: ({ encoded }) => ({ decoded: toText(toBytes(encoded)) }),
  render: ({ decoded }) => decoded,
});

/** `Buffer.from` skips what it does not know and takes any length, so all is checked first. */
function toBytes(encoded: string): Buffer {
  const joined = joinLines(encoded);
  // The padding is told from the rest by the end: a = anywhere else is a bad character.
  const body = joined.replace(/={1,2}$/, "");
  const bad = /[^A-Za-z0-9+/]/u.exec(body);
  if (bad !== null) throw badCharacter(encoded, bad[0]);
  if (joined.length % 4 !== 0) throw badLength(joined.length, joined.length - body.length);
  const bytes = Buffer.from(body, "base64");
  if (bytes.toString("base64") !== joined) {
    throw refuse(
      "The last character of the Base64 has bits set that belong to no byte.",
      "It was probably cut or retyped; copy it again, whole.",
    );
  }
  return bytes;
}

/**
 * Mail and the `base64` command break lines, always between groups of four characters.
 * A break anywhere else, or any other blank, is damage.
 */
function joinLines(encoded: string): string {
  const lines = encoded.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const misplaced = lines.findIndex((line, index) => line.length % 4 !== 0 && index < lines.length - 1);
  return misplaced === -1 ? lines.join("") : encoded;
}

function badCharacter(encoded: string, character: string): ToolValidationError {
  const position = encoded.indexOf(character) + 1;
  return refuse(
    `Character ${position}, ${JSON.stringify(character)}, is not Base64.`,
    hintFor(encoded, character),
    { position },
  );
}

function hintFor(encoded: string, character: string): string {
  if (character === "-" || character === "_") {
    return 'This is the URL-safe alphabet: replace "-" by "+" and "_" by "/", and pad with "=" to a multiple of 4.';
  }
  if (encoded.startsWith("data:")) return "This is a data URL: send only what follows the comma.";
  if (character === "=") return 'Padding stands at the end only, one or two "=".';
  if (/\s/.test(character)) return "Remove the blanks; only whole lines may be broken.";
  return "Send only A-Z, a-z, 0-9, + and /, with = at the end as padding.";
}

function badLength(length: number, padding: number): ToolValidationError {
  const missing = (4 - (length % 4)) % 4;
  const hint =
    padding + missing <= 2
      ? `It lacks padding or was cut: if it is whole, add "${"=".repeat(missing)}".`
      : "It was probably cut; copy it again, whole.";
  return refuse(`The length of the Base64 is ${length}, which is no multiple of 4.`, hint, { length });
}

function toText(bytes: Buffer): string {
  try {
    // A byte order mark is part of what was encoded, so it stays.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const message = `The Base64 is well-formed, but its ${bytes.length} bytes are not UTF-8 text.`;
    throw refuse(message, "It holds binary data; write it to a file with write_file and encoding base64.", {
      bytes: bytes.length,
    });
  }
}

function refuse(message: string, hint: string, details: Record<string, unknown> = {}): ToolValidationError {
  return new ToolValidationError(message, {
    code: "VALUE_INVALID",
    hint,
    details: { argument: "encoded", ...details },
  });
}
