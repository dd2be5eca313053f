import type { TenonEvents } from "../contract/events.js";
import type { ToolLike } from "./accept-tool.js";
import { type EntrySurroundings, createEntry } from "./create-entry.js";
import { orderByDependency } from "./dependencies.js";
import { NameIndex } from "./name-index.js";
import type { ToolEntry } from "./tool-entry.js";
import { splitSpec } from "./tool-name.js";
import { attempt } from "./lifecycle.js";
import { sameVersion } from "./versions.js";
import type { WaitingTools } from "./waiting-tools.js";
import { ToolDefinitionError } from "../contract/errors.js";
import { describeEntry } from "./describe-entry.js";
import { messageOf } from "../contract/message-of.js";

type Announce = (
  event: "TOOL_REGISTERED" | "TOOL_UNREGISTERED",
  payload: TenonEvents["TOOL_REGISTERED"],
) => void;

const maxDeparted = 400;

/** The registered entries: they are added and removed here in whole batches while calls run. */
export class Roster {
  readonly index = new NameIndex((tools) => void this.#takeIn(tools));
  readonly #surroundings: EntrySurroundings;
  readonly #announce: Announce;
  /** Names that some tool depends on: only these can close a cycle. */
  readonly #dependedOn = new Set<string>();
  /** Removed entries, kept for their final states; the oldest are forgotten. */
  readonly #departed = new Map<string, ToolEntry>();
  readonly #leaving = new Set<Promise<void>>();
  /** Tools that were never used before all entries were removed. */
  #unused: WaitingTools | undefined;

  constructor(surroundings: EntrySurroundings, announce: Announce) {
    this.#surroundings = surroundings;
    this.#announce = announce;
  }

  /** Add all tools or none; returns them in the order of their dependencies. */
  add(tools: readonly ToolLike[]): ToolEntry[] {
    if (tools.length === 0) return [];
    this.index.takeInAll();
    const ordered = this.#takeIn(tools);
    for (const entry of ordered) this.#announceEntry("TOOL_REGISTERED", entry);
    return ordered;
  }

  /** Add the first tools of the registry, each created on first use; no event is emitted. */
  addOnUse(tools: WaitingTools): void {
    this.index.wait(tools);
  }

  #takeIn(tools: readonly ToolLike[]): ToolEntry[] {
    const entries = tools.map((tool) => createEntry(tool, this.#surroundings));
    const added: ToolEntry[] = [];
    let ordered: ToolEntry[];
    try {
      for (const entry of entries) {
        this.index.add(entry);
        added.push(entry);
      }
      ordered = this.#order(entries);
      for (const entry of ordered) validateDependencies(entry, this.index);
    } catch (error) {
      for (const entry of added) this.index.remove(entry);
      throw error;
    }
    for (const entry of ordered) this.#keepOff(entry);
    return ordered;
  }

  /** Replace the same version of a tool, or else its default version, or else add it. */
  replace(tool: ToolLike): ToolEntry {
    const entry = createEntry(tool, this.#surroundings);
    this.index.takeInAll();
    const versions = this.index.select(entry.name).filter(({ name }) => name === entry.name);
    const old = versions.find(({ version }) => sameVersion(version, entry.version)) ?? versions[0];
    if (old === undefined) this.index.add(entry);
    else this.index.swap(old, entry);
    try {
      this.#order([entry]);
      validateDependencies(entry, this.index);
    } catch (error) {
      if (old === undefined) this.index.remove(entry);
      else this.index.swap(entry, old);
      throw error;
    }
    // What a person disabled stays so: a reload must not switch it on.
    if (old?.disabledBecause !== undefined) entry.disable(old.disabledBecause);
    if (old !== undefined) void this.#retire(old, "was replaced", entry);
    this.#announceEntry("TOOL_REGISTERED", entry);
    return entry;
  }

  /** Remove entries: new calls are refused at once, and the entries end with their running calls. */
  async remove(entries: readonly ToolEntry[]): Promise<void> {
    for (const entry of entries) this.index.remove(entry);
    await Promise.all(entries.map((entry) => this.#retire(entry, "was unregistered")));
  }

  /** Remove all entries, the newest first, since dependents are added after their dependencies. Unused tools are not created for this. */
  async removeAll(): Promise<void> {
    this.#unused = this.index.dropWaiting();
    const entries = [...this.index.families()].flatMap(({ versions }) => versions);
    await this.remove(entries.toReversed());
    await Promise.all(this.#leaving);
  }

  /** The entry of a name, including removed ones. */
  recall(spec: string): ToolEntry | undefined {
    return this.index.lookup(spec) ?? this.#departed.get(spec) ?? this.#recallUnused(spec);
  }

  #recallUnused(spec: string): ToolEntry | undefined {
    const tools = this.#unused?.takeAll() ?? [];
    for (const tool of tools) void this.#retire(createEntry(tool, this.#surroundings), "was unregistered");
    return this.#departed.get(spec);
  }

  #order(entries: readonly ToolEntry[]): ToolEntry[] {
    for (const { calls } of entries) {
      for (const spec of calls) this.#dependedOn.add(splitSpec(spec).name);
    }
    const [only, ...more] = entries;
    // A single new tool that no other depends on cannot close a cycle, so long chains are not walked each time.
    const walk = more.length > 0 || (only !== undefined && this.#isAwaited(only));
    return orderByDependency(entries, (spec) => this.index.lookup(spec), { deep: walk });
  }

  #isAwaited({ name, aliases }: ToolEntry): boolean {
    return this.#dependedOn.has(name) || aliases.some((alias) => this.#dependedOn.has(alias));
  }

  #keepOff(entry: ToolEntry): void {
    const off = this.index.family(entry.name)?.off;
    if (off !== undefined && entry.disabledBecause === undefined) entry.disable(off);
  }

  #retire(entry: ToolEntry, reason: string, successor?: ToolEntry): Promise<void> {
    const left = entry.retire(reason, successor);
    this.#leaving.add(left);
    void left.then(() => this.#leaving.delete(left));
    for (const key of [entry.name, `${entry.name}@${entry.version}`]) {
      this.#departed.delete(key);
      this.#departed.set(key, entry);
    }
    for (const key of this.#departed.keys()) {
      if (this.#departed.size <= maxDeparted) break;
      this.#departed.delete(key);
    }
    this.#announceEntry("TOOL_UNREGISTERED", entry);
    return left;
  }

  #announceEntry(event: "TOOL_REGISTERED" | "TOOL_UNREGISTERED", { name, version }: ToolEntry): void {
    attempt((payload) => this.#announce(event, payload), { toolName: name, version });
  }
}

/** Refuse a tool whose own check finds a mismatch with the tools that it calls. */
function validateDependencies({ tool }: ToolEntry, index: NameIndex): void {
  if (tool.validateDependencies === undefined) return;
  const refuse = (faults: readonly string[], cause?: unknown): never => {
    throw new ToolDefinitionError(
      `Tool "${tool.name}" does not match the tools that it calls: ${faults.join("; ")}.`,
      { toolName: tool.name, cause, hint: "Correct each point; `tenon tools NAME` shows what a tool takes." },
    );
  };
  let faults: readonly string[] = [];
  try {
    faults = tool.validateDependencies((name) => {
      const entry = index.lookup(name);
      return entry && describeEntry(entry);
    });
  } catch (error) {
    refuse([messageOf(error)], error);
  }
  if (faults.length > 0) refuse(faults);
}
