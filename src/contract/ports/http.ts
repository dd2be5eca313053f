/** A request that a tool sends. */
export interface HttpRequest {
  readonly url: string;
  /** @default "GET" */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Cap on the decoded body. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** The response to a request of a tool. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body was cut at the cap. */
  readonly truncated: boolean;
  readonly finalUrl: string;
}

/** The guarded way out: each address is judged when it is connected to. */
export interface Http {
  request(request: HttpRequest): Promise<HttpResponse>;
}
