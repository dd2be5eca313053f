/** What a memory is about; decisions and patterns come from promotion. */
export const memoryKinds = ["insight", "issue", "learning", "decision", "pattern"] as const;

/** What a memory is about. */
export type MemoryKind = (typeof memoryKinds)[number];

/** What is saved directly. */
export type SavedKind = Extract<MemoryKind, "insight" | "issue" | "learning">;

/** Where a memory counts: in its iteration, or in the whole project. */
export type MemoryLayer = "iteration" | "project";

/** What is looked through: one layer, both as they concern the present iteration, or everything. */
export type MemoryScope = "project" | "iteration" | "smart" | "all";

/** Who finds a memory: its principal alone, everybody at its MCP endpoint, or everybody. */
export const memoryShares = ["own", "endpoint", "all"] as const satisfies readonly MemoryShare[];
/** Who finds a memory. */
export type MemoryShare = "own" | "endpoint" | "all";

/** Something worth remembering. Times are Unix milliseconds. */
export interface Memory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly layer: MemoryLayer;
  /** The iteration that it was saved in. */
  readonly iterationId: string;
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly agent: string;
  /** Of an issue only. */
  readonly status?: "open" | "resolved";
  readonly resolution?: string;
  readonly resolvedAt?: number;
  /** The memory that this one was promoted from. */
  readonly origin?: string;
  /** Why it was decided. */
  readonly rationale?: string;
  /** When the pattern applies. */
  readonly whenToUse?: string;
  /** What it was promoted to, newest last. */
  readonly promotedTo?: readonly string[];
  /** The only principal that finds it. */
  readonly principal?: string;
  /** The MCP endpoint at which it is found. */
  readonly endpoint?: string;
}

/** A memory to save. */
export interface NewMemory {
  readonly kind: SavedKind;
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  /** @default "own" for a principal with a name, else "all" */
  readonly share?: MemoryShare | undefined;
}

/** What changes of a memory; only what is given. */
export interface MemoryChange {
  readonly title?: string | undefined;
  readonly content?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Which memories are looked for. */
export interface MemoryQuery {
  /** Words. @default none: the newest come first */
  readonly query?: string | undefined;
  /** @default "smart" */
  readonly scope?: MemoryScope | undefined;
  readonly kind?: MemoryKind | undefined;
  /** @default 10 */
  readonly limit?: number | undefined;
}

/** A memory that was found, and how well it fits: 1 is the best of this answer. */
export interface FoundMemory extends Memory {
  readonly score?: number;
}

/** What a memory is promoted to. */
export type Promotion = (
  | { readonly kind: "decision"; readonly rationale?: string | undefined }
  | { readonly kind: "pattern"; readonly whenToUse?: string | undefined }
) & {
  /** Share it with more than the memory that is promoted. @default the same */
  readonly share?: MemoryShare | undefined;
};

/** The memory of a workspace, in two layers: of an iteration, and of the project. */
export interface MemoryStore {
  /** Keep a memory in the layer of the present iteration. */
  save(memory: NewMemory): Promise<Memory>;
  get(id: string): Promise<Memory | undefined>;
  query(query?: MemoryQuery): Promise<readonly FoundMemory[]>;
  /** Change a memory; only what is given changes. */
  update(id: string, change: MemoryChange): Promise<Memory>;
  /** Remove a memory for good; `false` if there is none. What was promoted from it stays. */
  forget(id: string): Promise<boolean>;
  /** Close an issue; refused where it is none, or is closed already. */
  resolve(id: string, resolution: string): Promise<Memory>;
  /** Lift a memory to the project's layer; the new one points to its origin. The same promotion again gives the one there is. */
  promote(id: string, promotion: Promotion): Promise<{ readonly memory: Memory; readonly created: boolean }>;
  count(): Promise<number>;
}
