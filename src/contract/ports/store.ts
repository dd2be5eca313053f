import type { Json } from "../json.js";
import type { ArtifactStore } from "./artifacts.js";
import type { MemoryStore } from "./memories.js";
import type { PipelineStore } from "./pipeline.js";
import type { PlanStore } from "./plan.js";
import type { SnippetStore } from "./snippets.js";

/** Small durable values that belong to one name space; tools see only their own. */
export interface KeyValue {
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<boolean>;
  list(prefix?: string): Promise<readonly string[]>;
}

/** What the workspace's agents keep together: every tool sees the same. */
export interface WorkStores {
  readonly snippets: SnippetStore;
  readonly memories: MemoryStore;
  readonly plan: PlanStore;
  readonly artifacts: ArtifactStore;
  readonly pipeline: PipelineStore;
}

/** The durable state that a tool can reach: values of its own, and what all share. */
export interface Store extends KeyValue, WorkStores {}
