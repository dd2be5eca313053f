import type { CallMetadata, ContentPart, ToolEnvelope } from "../contract/call.js";
import type { ErrorInfo } from "../contract/errors.js";

/** An answer for extensions: changes to it do not affect the real one. Fields are copied when they are first read. */
export class AnswerCopy implements ToolEnvelope {
  readonly callId: string;
  readonly toolName: string;
  readonly success: boolean;
  readonly startedAt: number;
  readonly completedAt: number;
  readonly durationMs: number;
  readonly #answer: ToolEnvelope;
  #result: { readonly value: unknown } | undefined;
  #metadata: CallMetadata | undefined;

  constructor(answer: ToolEnvelope) {
    this.#answer = answer;
    this.callId = answer.callId;
    this.toolName = answer.toolName;
    this.success = answer.success;
    this.startedAt = answer.startedAt;
    this.completedAt = answer.completedAt;
    this.durationMs = answer.durationMs;
  }

  get result(): unknown {
    return (this.#result ??= { value: structuredClone(this.#answer.result) }).value;
  }

  get error(): ErrorInfo {
    // As on every answer: `undefined` where it succeeded.
    return structuredClone(this.#answer.error) as ErrorInfo;
  }

  get metadata(): CallMetadata {
    return (this.#metadata ??= structuredClone(this.#answer.metadata));
  }

  get content(): readonly ContentPart[] {
    return this.#answer.content.map((part) => ({ ...part }));
  }

  toJSON(): ToolEnvelope {
    return structuredClone(JSON.parse(JSON.stringify(this.#answer)) as ToolEnvelope);
  }
}
