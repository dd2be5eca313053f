import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";

export const base64Decode = defineTool({
  name: "base64_decode",
  description: "Decode Base64 to UTF-8 text. Malformed Base64 is an error.",
  category: "data",
  annotations: { title: "Decode Base64", readOnly: true, idempotent: true, cacheable: true },
  examples: [{ arguments: { encoded: "SGVsbG8=" } }],
  input: z.object({
    encoded: z.string().describe("Base64 in the standard alphabet, padded with =. Line breaks are allowed."),
  }),
  output: z.object({ decoded: z.string() }),
  execute: ({ encoded }) => ({ decoded: toText(toBytes(encoded)) }),
  render: ({ decoded }) => decoded,
});

/** `Buffer.from` skips invalid characters and accepts any length, so everything is checked first. */
function toBytes(encoded: string): Buffer {
  const joined = joinLines(encoded);
  // Padding is only valid at the end: a = anywhere else is an invalid character.
  const body = joined.replace(/={1,2}$/, "");
  const bad = /[^A-Za-z0-9+/]/u.exec(body);
  if (bad !== null) throw badCharacter(encoded, bad[0]);
  if (joined.length % 4 !== 0) throw badLength(joined.length, joined.length - body.length);
  const bytes = Buffer.from(body, "base64");
  if (bytes.toString("base64") !== joined) {
    throw invalidBase64(
      "Invalid Base64: the last character has bits set that do not belong to a byte.",
      "It was probably truncated or retyped. Send the complete Base64 again.",
    );
  }
  return bytes;
}

/**
 * Email and the `base64` command break lines only between groups of four characters. Line breaks elsewhere, and other
 * whitespace, are errors.
 */
function joinLines(encoded: string): string {
  const lines = encoded.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const misplaced = lines.findIndex((line, index) => line.length % 4 !== 0 && index < lines.length - 1);
  return misplaced === -1 ? lines.join("") : encoded;
}

function badCharacter(encoded: string, character: string): ToolValidationError {
  const position = encoded.indexOf(character) + 1;
  return invalidBase64(
    `Invalid Base64: unexpected ${JSON.stringify(character)} at character ${position}.`,
    hintFor(encoded, character),
    { position },
  );
}

function hintFor(encoded: string, character: string): string {
  if (character === "-" || character === "_") {
    return 'This is the URL-safe alphabet: replace "-" with "+" and "_" with "/", and pad with "=" to a multiple of 4.';
  }
  if (encoded.startsWith("data:")) return "This is a data URL: send only the part after the comma.";
  if (character === "=") return 'Padding is allowed only at the end, as one or two "=".';
  if (/\s/.test(character))
    return "Remove the whitespace; line breaks are allowed only after a multiple of 4 characters.";
  return "Use only A-Z, a-z, 0-9, + and /, with = as padding at the end.";
}

function badLength(length: number, padding: number): ToolValidationError {
  const missing = (4 - (length % 4)) % 4;
  const hint =
    padding + missing <= 2
      ? `The padding is missing or it was truncated. If it is complete, append "${"=".repeat(missing)}".`
      : "It was probably truncated. Send the complete Base64 again.";
  return invalidBase64(`Invalid Base64: its length (${length}) is not a multiple of 4.`, hint, { length });
}

function toText(bytes: Buffer): string {
  try {
    // A byte order mark is part of the encoded text, so it is kept.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const message = `The Base64 is valid, but its ${bytes.length} bytes are not UTF-8 text.`;
    throw invalidBase64(
      message,
      "It is binary data: write it to a file with write_file and encoding base64.",
      {
        bytes: bytes.length,
      },
    );
  }
}

function invalidBase64(
  message: string,
  hint: string,
  details: Record<string, unknown> = {},
): ToolValidationError {
  return new ToolValidationError(message, {
    code: "VALUE_INVALID",
    hint,
    details: { argument: "encoded", ...details },
  });
}
