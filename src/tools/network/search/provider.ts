import type { Http } from "../../../contract/ports/http.js";

/** One thing that was found. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What a provider needs to know. */
export interface SearchQuery {
  readonly query: string;
  readonly limit: number;
  readonly settings: SearchSettings;
  readonly http: Http;
  readonly signal: AbortSignal;
}

/** The settings of web_search: its `custom` block. */
export interface SearchSettings {
  readonly apiKey?: string | undefined;
  /** Where the provider answers, if not at its usual address. */
  readonly url?: string | undefined;
  /** The search engine's id (google). */
  readonly engineId?: string | undefined;
}

/** A place that answers searches. */
export interface SearchProvider {
  readonly name: string;
  /** What whoever reads the results should know. */
  readonly note?: string;
  search(query: SearchQuery): Promise<readonly SearchResult[]>;
}
