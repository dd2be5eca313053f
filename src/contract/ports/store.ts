import type { Json } from "../json.js";

/** Small durable values that belong to one name space; tools see only their own. */
export interface Store {
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<boolean>;
  list(prefix?: string): Promise<readonly string[]>;
}
