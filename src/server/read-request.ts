import type { Context } from "hono";
import type * as z from "zod";
import { parseJson } from "../schema/parse-json.js";
import { faultOfEncoding } from "../wire/body-encoding.js";
import { HttpError, notFound } from "./http-error.js";

/** The body, validated by the schema; an invalid one is refused with what is wrong. */
export async function readBody<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = await readText(c.req.raw, (c.env as BodyBindings).maxBody);
  if (text === "") return check(schema, {}, "body");
  if (type !== "application/json") {
    throw new HttpError(415, {
      code: "REQUEST_INVALID",
      message: "The body must be JSON.",
      hint: "Send it with Content-Type: application/json.",
    });
  }
  const fault = faultOfEncoding({
    "content-encoding": c.req.header("content-encoding"),
    "content-type": c.req.header("content-type"),
  });
  if (fault !== undefined) throw new HttpError(415, { code: "REQUEST_INVALID", message: fault });
  const parsed = parseJson(text);
  if (!parsed.ok) {
    throw new HttpError(400, {
      code: "REQUEST_INVALID",
      message: `The body is not valid JSON: ${parsed.message}`,
    });
  }
  return check(schema, parsed.value, "body");
}

/** The limits that the routes need. */
export interface BodyBindings {
  /** Of a request, in bytes. */
  readonly maxBody: number;
}

export function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, {
    code: "REQUEST_TOO_LARGE",
    message: `The body is larger than ${maxBytes} bytes.`,
    hint: "Send less at once.",
  });
}

/** The whole body; counted as it comes, since not every client says how much it sends. */
async function readText({ body }: Request, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The query as the schema wants it; of a repeated name the first counts. */
export function readQuery<Schema extends z.ZodType>(c: Context, schema: Schema): z.output<Schema> {
  return check(schema, c.req.query(), "query");
}

/** A part of the path, decoded. */
export function readParam(c: Context, name: string): string {
  const value = c.req.param(name);
  // Left as it came where it could not be decoded.
  if (value === undefined || value === "" || value.includes("\0") || value.length > 1000)
    throw notFound("Resource");
  return value;
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const faults = checked.error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  throw new HttpError(400, {
    code: "REQUEST_INVALID",
    message: `Invalid ${where}. ${faults.join("; ")}`,
    hint: "See docs/guide/serve.md for what each address takes.",
  });
}
