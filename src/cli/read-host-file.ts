import { createReadStream } from "node:fs";
import { toFileProblem } from "../contract/file-problem.js";
import { UsageError } from "./command-line.js";

/** Larger than any configuration; what has no end must not fill the memory. */
const maxBytes = 16 * 1024 * 1024;

/** Read another host's configuration file: JSON, with comments and trailing commas too, or TOML. */
export async function readHostFile(file: string): Promise<unknown> {
  try {
    const text = (await readText(file)).replace(/^\uFEFF/, "");
    return /\.toml$/i.test(file) || looksLikeToml(text) ? await parseToml(text) : await parseLoose(text);
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${toFileProblem(error)}`);
  }
}

async function readText(file: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** A table of TOML at the start of a line; no line of JSON starts like that. */
function looksLikeToml(text: string): boolean {
  return !/^\s*[{[/]/.test(text) && /^\s*\[[\w."'-]+\]\s*(?:#.*)?$/m.test(text);
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  return parse(text);
}

async function parseLoose(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [{ parseLooseJson }, { Reader }] = await Promise.all([
      import("../llm/parse/loose-json.js"),
      import("../llm/parse/reader.js"),
    ]);
    const value = parseLooseJson(new Reader(text));
    if (value === undefined) throw error;
    return value;
  }
}
