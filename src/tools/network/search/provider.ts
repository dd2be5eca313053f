import type { Http } from "../../../contract/ports/http.js";

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** A query and what a provider needs to run it. */
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
  /** The URL of the provider, if not the usual one. */
  readonly url?: string | undefined;
  /** The search engine's id (google). */
  readonly engineId?: string | undefined;
}

export interface SearchProvider {
  readonly name: string;
  /** The URL that it is asked at, unless the settings have another one. */
  readonly address?: string;
  /** A remark for readers of the results. */
  readonly note?: string;
  search(query: SearchQuery): Promise<readonly SearchResult[]>;
}
