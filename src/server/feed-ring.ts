export interface RingLimits {
  /** Frames that are kept. @default 20000 */
  readonly frames?: number | undefined;
  /** Characters of all kept frames. @default 16777216 */
  readonly chars?: number | undefined;
}

/** What a frame is about: the session of a call, the tools that everybody may see, or the server itself. */
export type FrameTopic = { readonly sessionId: string } | "tools" | undefined;

/** The last frames of the feed, each under a number that rises by one; the oldest make room. */
export class FeedRing {
  readonly #maxFrames: number;
  readonly #maxChars: number;
  #frames: string[] = [];
  /** What each frame is about, for those who do not see everything. */
  #topics: FrameTopic[] = [];
  /** Of `#frames`, how many at the front are gone already. */
  #gone = 0;
  #firstId: number;
  #chars = 0;

  /** @param start The number before the first frame's. */
  constructor(start: number, limits: RingLimits = {}) {
    this.#maxFrames = Math.max(1, limits.frames ?? 20_000);
    this.#maxChars = limits.chars ?? 16 * 1024 * 1024;
    this.#firstId = start + 1;
  }

  /** Of the oldest frame that is kept; one above `last` where none is. */
  get first(): number {
    return this.#firstId;
  }

  get last(): number {
    return this.#firstId + this.#frames.length - this.#gone - 1;
  }

  /** Whether everything after that number is still here. */
  reaches(id: number): boolean {
    return Number.isSafeInteger(id) && id >= this.#firstId - 1 && id <= this.last;
  }

  push(make: (id: number) => string, topic?: FrameTopic): void {
    const frame = make(this.last + 1);
    this.#frames.push(frame);
    this.#topics.push(topic);
    this.#chars += frame.length;
    while (
      this.#frames.length - this.#gone > this.#maxFrames ||
      (this.#chars > this.#maxChars && this.#frames.length - this.#gone > 1)
    )
      this.#forgetOldest();
  }

  /** Count a frame that no page reads; the ones before it are dropped with it. */
  skip(): void {
    this.#firstId = this.last + 2;
    if (this.#frames.length === 0) return;
    this.#frames = [];
    this.#topics = [];
    this.#gone = 0;
    this.#chars = 0;
  }

  /** Frames from that number on, at most about so many characters, and the number after the last of them. */
  read(
    from: number,
    maxChars: number,
    shows: (topic: FrameTopic) => boolean = () => true,
  ): { readonly text: string; readonly next: number } {
    let text = "";
    let next = from;
    for (let at = from - this.#firstId + this.#gone; at < this.#frames.length; at++) {
      if (shows(this.#topics[at])) text += this.#frames[at];
      next++;
      if (text.length >= maxChars) break;
    }
    return { text, next };
  }

  #forgetOldest(): void {
    this.#chars -= this.#frames[this.#gone]?.length ?? 0;
    this.#frames[this.#gone] = ""; // lets the text go
    this.#gone++;
    this.#firstId++;
    if (this.#gone < 1024 || this.#gone * 2 < this.#frames.length) return;
    this.#frames = this.#frames.slice(this.#gone);
    this.#topics = this.#topics.slice(this.#gone);
    this.#gone = 0;
  }
}
