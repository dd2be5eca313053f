import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** Receives a body as it arrives. */
export interface BodyReader {
  write(chunk: Uint8Array): void;
  end(): void;
  destroy(): void;
}

/** What a reader reports, and how it pauses the connection. */
export interface BodyEvents extends Flow {
  /** The whole body, or the first bytes of one that was larger than the limit. */
  finish(body: Uint8Array, truncated: boolean): void;
  fail(error: Error): void;
}

interface Flow {
  pause(): void;
  resume(): void;
}

/** Read a body to a limit on its decoded bytes; nothing is inflated beyond it. */
export function readBody(encodings: readonly string[], limit: number, events: BodyEvents): BodyReader {
  const sink = createByteSink(limit);
  let over = false;
  const stop = (truncated: boolean) => {
    if (over) return;
    over = true;
    events.finish(sink.bytes(), truncated);
  };
  const last: BodyReader = {
    write(chunk) {
      if (!over && !sink.add(chunk)) stop(true);
    },
    end: () => stop(false),
    destroy() {
      over = true;
    },
  };
  if (encodings.length === 0) return last;
  const fail = (error: Error) => {
    if (!over) events.fail(error);
  };
  return capInput(decode(encodings, last, { flow: events, fail }), limit, () => stop(true));
}

/** The codings of a `content-encoding` header, or `undefined` if one of them is not known. */
export function listEncodings(header: string): readonly string[] | undefined {
  const names = header
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  // Real servers use at most two.
  return names.length <= 5 && names.every((name) => known.has(name)) ? names : undefined;
}

const known: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br"]);

/** Coded data is hardly larger than what it holds, but blocks that hold nothing could be sent for ever. */
function capInput(reader: BodyReader, limit: number, stop: () => void): BodyReader {
  let left = limit + Math.ceil(limit / 64) + 65_536;
  return {
    ...reader,
    write(chunk) {
      left -= chunk.length;
      if (left < 0) return stop();
      reader.write(chunk);
    },
  };
}

interface Upstream {
  readonly flow: Flow;
  readonly fail: (error: Error) => void;
}

/** One stream per encoding; the last one applied is decoded first. */
function decode(encodings: readonly string[], last: BodyReader, { flow, fail }: Upstream): BodyReader {
  const encoding = encodings.at(-1);
  if (encoding === undefined) return last;
  let stream: Transform | undefined;
  const own: Flow = { pause: () => stream?.pause(), resume: () => stream?.resume() };
  const next = decode(encodings.slice(0, -1), last, { flow: own, fail });
  const open = (first: number) =>
    createDecoder(encoding, first)
      .on("data", (chunk: Buffer) => next.write(chunk))
      .on("end", () => next.end())
      .on("error", fail)
      .on("drain", () => flow.resume());
  return {
    write(chunk) {
      if (chunk.length === 0) return;
      stream ??= open(chunk[0] ?? 0);
      if (!stream.write(chunk)) flow.pause();
    },
    end: () => (stream === undefined ? next.end() : stream.end()),
    destroy() {
      stream?.destroy();
      next.destroy();
    },
  };
}

function createDecoder(encoding: string, first: number): Transform {
  if (encoding === "br") return createBrotliDecompress();
  if (encoding !== "deflate") return createGunzip();
  // "deflate" means zlib's format, but some servers send the bare one: its first byte tells.
  return (first & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

/** Collects bytes up to a limit. */
interface ByteSink {
  /** Add bytes; `false` once there was more than the limit. */
  add(chunk: Uint8Array): boolean;
  bytes(): Uint8Array;
}

/**
 * Make a sink. It grows one buffer instead of keeping the chunks: ten million chunks of
 * one byte would otherwise take a hundred times the memory of what they hold.
 */
function createByteSink(limit: number): ByteSink {
  let buffer: Uint8Array = new Uint8Array(0);
  let length = 0;
  return {
    add(chunk) {
      const fits = Math.min(chunk.length, limit - length);
      const part = fits === chunk.length ? chunk : chunk.subarray(0, fits);
      if (length === 0) buffer = part;
      else {
        if (length + fits > buffer.length)
          buffer = grow(buffer, length, Math.min(limit, (length + fits) * 2));
        buffer.set(part, length);
      }
      length += fits;
      return fits === chunk.length;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

function grow(buffer: Uint8Array, length: number, size: number): Uint8Array {
  const larger = new Uint8Array(size);
  larger.set(buffer.subarray(0, length));
  return larger;
}
