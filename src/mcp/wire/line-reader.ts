/** What is done with each line, and with one that is too long. */
export interface LineSink {
  line(text: string): void;
  tooLong(bytes: number): void;
}

const newline = 10;

/** Cuts bytes into lines; holds at most `maxBytes` of a line that is not whole yet. */
export class LineReader {
  readonly #sink: LineSink;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #held = 0;
  #skipped = 0;

  constructor(sink: LineSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#take(chunk, start, end);
      this.#end();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk, start, chunk.length);
  }

  /** The input is over: what has no line end is a line as well. */
  end(): void {
    if (this.#held > 0 || this.#skipped > 0) this.#end();
  }

  #take(chunk: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.#skipped > 0 || this.#held + length > this.#maxBytes) {
      this.#skipped += this.#held + length;
      this.#parts = [];
      this.#held = 0;
      return;
    }
    this.#parts.push(chunk.subarray(start, end));
    this.#held += length;
  }

  #end(): void {
    const parts = this.#parts;
    const skipped = this.#skipped;
    this.#parts = [];
    this.#held = 0;
    this.#skipped = 0;
    if (skipped > 0) {
      this.#sink.tooLong(skipped);
      return;
    }
    const [only] = parts;
    const text = (parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).toString();
    if (text.trim() !== "") this.#sink.line(text);
  }
}
