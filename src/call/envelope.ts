import type { CallMetadata, ContentPart, ToolEnvelope } from "../contract/call.js";
import type { ErrorInfo } from "../contract/errors.js";

/** What an envelope is made of. */
export interface EnvelopeFields {
  readonly callId: string;
  readonly toolName: string;
  readonly result: unknown;
  readonly error: ErrorInfo | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly metadata: CallMetadata;
  readonly render: () => readonly ContentPart[];
}

/**
 * An answer. `content` is rendered when it is first read, since a program that uses
 * `result` never needs the text; `JSON.stringify` includes it.
 */
export class Envelope implements ToolEnvelope {
  readonly callId: string;
  readonly toolName: string;
  readonly success: boolean;
  declare readonly result?: unknown;
  declare readonly error?: ErrorInfo;
  readonly startedAt: number;
  readonly completedAt: number;
  readonly durationMs: number;
  readonly metadata: CallMetadata;
  #render: (() => readonly ContentPart[]) | undefined;
  #content: readonly ContentPart[] | undefined;

  constructor(fields: EnvelopeFields) {
    this.callId = fields.callId;
    this.toolName = fields.toolName;
    this.success = fields.error === undefined;
    if (fields.error === undefined) this.result = fields.result;
    if (fields.error !== undefined) this.error = fields.error;
    this.startedAt = fields.startedAt;
    this.completedAt = fields.startedAt + Math.round(fields.durationMs);
    this.durationMs = fields.durationMs;
    this.metadata = fields.metadata;
    this.#render = fields.render;
  }

  get content(): readonly ContentPart[] {
    if (this.#content === undefined) {
      this.#content = this.#render?.() ?? [];
      this.#render = undefined;
    }
    return this.#content;
  }

  toJSON(): ToolEnvelope {
    const { callId, toolName, success, startedAt, completedAt, durationMs, metadata, content } = this;
    const outcome = this.error === undefined ? { result: this.result } : { error: this.error };
    return { callId, toolName, success, ...outcome, startedAt, completedAt, durationMs, metadata, content };
  }
}
