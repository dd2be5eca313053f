import { ToolDefinitionError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import { type Experiment, type Variant, bindExperiment } from "./experiment.js";
import type { ToolEntry } from "./tool-entry.js";
import { foldName, splitSpec } from "./tool-name.js";
import { byPreference, inRange, sameVersion } from "./versions.js";
import type { WaitingTools } from "./waiting-tools.js";

/** All versions of one tool. */
export interface Family {
  readonly name: string;
  /** The default first. */
  versions: readonly ToolEntry[];
  /** The default: the newest stable version. */
  current: ToolEntry;
  variants: readonly Variant[] | undefined;
  experiment: Experiment | undefined;
  /** Why a person disabled the whole tool; later versions inherit it. */
  off: string | undefined;
  keys: ReadonlySet<string>;
  folds: ReadonlySet<string>;
}

const maxCachedRanges = 1000;

/** Names, aliases and versions, and what they lead to. All maps, since a name can be any string. */
export class NameIndex {
  readonly #families = new Map<string, Family>();
  readonly #names = new Map<string, Family>();
  /** The families of tools that were created, by plain name and alias; `family` also finds waiting ones. */
  readonly names: ReadonlyMap<string, Family> = this.#names;
  readonly #owners = new Map<string, Family>();
  readonly #ranges = new Map<string, ToolEntry>();
  readonly #takeIn: (tools: readonly Tool[]) => void;
  #waiting: WaitingTools | undefined;
  #revision = 0;

  /** @param takeIn Adds tools that waited for their first use. */
  constructor(takeIn: (tools: readonly Tool[]) => void) {
    this.#takeIn = takeIn;
  }

  /** Changes whenever a name may lead elsewhere. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    this.takeInAll();
    return this.#families.size;
  }

  families(): IterableIterator<Family> {
    this.takeInAll();
    return this.#families.values();
  }

  /** The family of a plain name or alias. */
  family(name: string): Family | undefined {
    const family = this.#names.get(name);
    if (family !== undefined || this.#waiting === undefined) return family;
    const tool = this.#waiting.take(name);
    if (tool !== undefined) this.#takeIn([tool]);
    else this.takeInAll();
    return this.#names.get(name);
  }

  /** Have tools taken in when something first asks for them: for one by its name, or for anything that needs all. */
  wait(tools: WaitingTools): void {
    this.#waiting = tools;
  }

  /** Take in all tools that still wait. */
  takeInAll(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const tools = waiting.takeAll();
    this.#waiting = undefined;
    this.#takeIn(tools);
    // Added in the registered order, as if none had been created earlier.
    for (const name of waiting.names) {
      const family = this.#families.get(name);
      if (family !== undefined && this.#families.delete(name)) this.#families.set(name, family);
    }
  }

  /** The tools that nothing has asked for; from now on nothing can. */
  dropWaiting(): WaitingTools | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  /** The entry of a name, an alias or `name@range`, experiments aside. */
  lookup(spec: string): ToolEntry | undefined {
    const family = this.family(spec);
    if (family !== undefined) return family.current;
    const cached = this.#ranges.get(spec);
    if (cached !== undefined) return cached;
    const found = this.select(spec)[0];
    if (found === undefined) return undefined;
    if (this.#ranges.size >= maxCachedRanges) this.#ranges.clear();
    this.#ranges.set(spec, found);
    return found;
  }

  /** All versions that a name, an alias or `name@range` covers, the preferred first. */
  select(spec: string): readonly ToolEntry[] {
    if (typeof spec !== "string") return [];
    const { name, range } = splitSpec(spec);
    const family = this.family(name);
    if (family === undefined || range === "") return [];
    if (range === undefined) return family.versions;
    if (range === "latest") return [family.current];
    return family.versions.filter(({ version }) => inRange(version, range));
  }

  /** Add an entry, or throw NAME_TAKEN. */
  add(entry: ToolEntry): void {
    const family = this.#families.get(entry.name);
    this.#checkFree(entry, family, family?.versions ?? []);
    if (family === undefined) this.#found(entry);
    else this.#relink(family, insert(family.versions, entry));
  }

  /** Put an entry in the place of another of the same name, or throw and leave all as it was. */
  swap(old: ToolEntry, entry: ToolEntry): void {
    const family = this.#families.get(old.name) as Family;
    const others = family.versions.filter((version) => version !== old);
    this.#checkFree(entry, family, others);
    this.#relink(family, insert(others, entry));
  }

  remove(entry: ToolEntry): void {
    const family = this.#families.get(entry.name);
    if (family === undefined || !family.versions.includes(entry)) return;
    const versions = family.versions.filter((version) => version !== entry);
    if (versions.length === 0) this.#families.delete(family.name);
    this.#relink(family, versions);
  }

  /** Set the family's experiment. */
  split(family: Family, variants: readonly Variant[] | undefined): void {
    family.variants = variants;
    this.#relink(family, family.versions);
  }

  #checkFree(entry: ToolEntry, family: Family | undefined, versions: readonly ToolEntry[]): void {
    const { name, version } = entry;
    if (versions.some((other) => sameVersion(other.version, version))) {
      throw new ToolDefinitionError(`Tool "${name}" is already registered in version ${version}.`, {
        code: "NAME_TAKEN",
        toolName: name,
        hint: "Give it another version, or use replace.",
      });
    }
    for (const key of [name, ...entry.aliases]) {
      const owner = this.#owners.get(foldName(key));
      if (owner === undefined || owner === family) continue;
      const what = key === name ? "name" : `alias "${key}"`;
      throw new ToolDefinitionError(`The ${what} of tool "${name}" equals a name of tool "${owner.name}".`, {
        code: "NAME_TAKEN",
        toolName: name,
        hint: "Names are compared without regard to case and width: choose another.",
      });
    }
  }

  #found(entry: ToolEntry): void {
    const family: Family = {
      name: entry.name,
      versions: [],
      current: entry,
      variants: undefined,
      experiment: undefined,
      off: undefined,
      keys: new Set(),
      folds: new Set(),
    };
    this.#families.set(entry.name, family);
    this.#relink(family, [entry]);
  }

  #relink(family: Family, versions: readonly ToolEntry[]): void {
    const keys = new Set(versions.flatMap(({ name, aliases }) => [name, ...aliases]));
    const folds = new Set([...keys].map(foldName));
    for (const key of family.keys) if (!keys.has(key)) this.#names.delete(key);
    for (const fold of family.folds) if (!folds.has(fold)) this.#owners.delete(fold);
    for (const key of keys) this.#names.set(key, family);
    for (const fold of folds) this.#owners.set(fold, family);
    family.keys = keys;
    family.folds = folds;
    family.versions = versions;
    family.current = versions[0] ?? family.current;
    family.experiment = family.variants && bindExperiment(family.name, family.variants, versions);
    this.#ranges.clear();
    this.#revision++;
  }
}

function insert(versions: readonly ToolEntry[], entry: ToolEntry): readonly ToolEntry[] {
  return [...versions, entry].sort((a, b) => byPreference(a.version, b.version));
}
