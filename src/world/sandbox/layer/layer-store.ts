import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ignoring, errnoOf } from "../../../contract/errno.js";
import { ToolResourceNotFoundError } from "../../../contract/errors.js";
import { once } from "../../../contract/once.js";
import { layerNames } from "./layer-script.js";
import type { CommandLayer, KeptLayer, LayerOrigin, LayerStore } from "./layer-types.js";
import { readRecord, writeRecord, type LayerRecord } from "./layer-record.js";
import { createCommandLayer } from "./command-layer.js";
import { hasEnded, thisOwner } from "./process-owner.js";
import { measureLayer } from "./read-layer.js";
import { removeWork } from "./remove-work.js";
import { removeTree } from "./remove-tree.js";
import { makeFolder } from "../../../contract/make-folder.js";

/** How large a layer may be, and how many are kept for how long. */
export interface LayerLimits {
  /** Whether commands run on layers at all. */
  readonly enabled: boolean;
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly maxKept: number;
  readonly maxKeptBytes: number;
  readonly maxAgeMs: number;
}

export interface LayerStoreOptions {
  /** Where the layers lie; created with the first one. */
  readonly dir: string;
  /** Real absolute path. */
  readonly workspace: string;
  readonly limits: LayerLimits;
  readonly now: () => number;
  /** Find the folders of a layer that hide those of the workspace. */
  readonly scan: (dir: string) => Promise<void>;
}

/** The store, with what only the sandbox uses. */
export interface OwnLayerStore extends LayerStore {
  /** Make the folder of a new layer. */
  begin(origin: LayerOrigin): CommandLayer & { readonly dir: string };
  /** Make the folders of the next layer, while there is nothing else to do. */
  prepare(): void;
  /** Keep the layers of processes that were killed, and remove those that have expired. */
  recover(): Promise<void>;
  /** Wait for what is removed in the background. */
  close(): Promise<void>;
}

/** Create the store of a workspace; nothing is created before the first layer. */
export function createLayerStore(options: LayerStoreOptions): OwnLayerStore {
  const { dir, workspace, limits, now } = options;
  const removals = new Set<Promise<void>>();
  const owner = once(thisOwner);
  /** The name of the folder of the next layer. Any process may remove it; then another one is made. */
  let spare: string | undefined;
  const remove = async (id: string, { inBackground = false } = {}): Promise<void> => {
    const doomed = join(dir, `${removedPrefix}${id}`);
    try {
      renameSync(join(dir, id), doomed);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return; // somebody else removed it
      throw error;
    }
    const removing = removeWork(doomed).then(() => removeTree(doomed));
    if (!inBackground) return removing;
    // What fails is tried again at the next start.
    const tracked = removing.catch(() => {}).finally(() => removals.delete(tracked));
    removals.add(tracked);
  };
  const records = (): StoredLayer[] =>
    layerIds(dir).flatMap((id) => {
      const record = readRecord(join(dir, id));
      return record === undefined ? [] : [{ id, record }];
    });
  const keep = async (id: string, reason: string): Promise<void> => {
    const folder = join(dir, id);
    const record = readRecord(folder);
    if (record === undefined) return;
    await removeWork(folder);
    const size = await measureLayer(join(folder, layerNames.upper));
    writeRecord(folder, { ...record, kept: { at: now(), reason, ...size } });
    await expire();
  };
  const expire = async (): Promise<void> => {
    for (const { id } of expired(records(), limits, now())) await remove(id);
  };
  const opened = (id: string, record: LayerRecord): CommandLayer & { readonly dir: string } =>
    createCommandLayer({
      id,
      dir: join(dir, id),
      record,
      scan: () => options.scan(join(dir, id)),
      keep: (reason) => keep(id, reason),
      discard: (how) => remove(id, how),
    });
  const takeSpare = (id: string): boolean => {
    if (spare === undefined) return false;
    const place = join(dir, spare);
    spare = undefined;
    try {
      renameSync(place, join(dir, id));
      return true;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    }
  };
  return {
    begin(origin) {
      const id = `layer_${randomBytes(12).toString("hex")}`;
      if (!takeSpare(id)) makeFolders(join(dir, id), workspace);
      const startedNs = takeRights(join(dir, id), workspace);
      const record = { ...origin, workspace, startedNs: String(startedNs), owner: owner() };
      writeRecord(join(dir, id), record);
      return opened(id, record);
    },
    prepare() {
      if (spare !== undefined) return;
      const name = `${sparePrefix}${randomBytes(12).toString("hex")}`;
      try {
        makeFolders(join(dir, name), workspace);
        spare = name;
      } catch {
        // A full disk, for example: making the layer itself reports it. The next start removes what is there.
      }
    },
    async list({ callId } = {}) {
      await expire();
      return records()
        .flatMap(({ id, record }) => toKept(id, record, limits) ?? [])
        .filter((kept) => callId === undefined || kept.callId === callId)
        .toSorted((one, other) => one.keptAt - other.keptAt);
    },
    async open(id) {
      const record = layerIds(dir).includes(id) ? readRecord(join(dir, id)) : undefined;
      if (record === undefined) {
        throw new ToolResourceNotFoundError(`No stored changes found with the id "${id.slice(0, 64)}".`, {
          hint: "They were committed or discarded, or were not committed in time.",
        });
      }
      return opened(id, record);
    },
    async recover() {
      for (const name of namesIn(dir)) {
        if (name.startsWith(removedPrefix)) await removeTree(join(dir, name));
        if (name.startsWith(sparePrefix)) await remove(name);
      }
      for (const id of layerIds(dir)) await recoverLayer(id);
      await expire();
    },
    async close() {
      if (spare !== undefined) await remove(spare);
      spare = undefined;
      await Promise.all(removals);
    },
  };

  async function recoverLayer(id: string): Promise<void> {
    const record = readRecord(join(dir, id));
    if (record === undefined) {
      // Another process may be about to write it.
      const { ctimeMs } = lstatSync(join(dir, id));
      if (Date.now() - ctimeMs > newFolderMs) await remove(id);
      return;
    }
    if (record.kept !== undefined || !hasEnded(record.owner)) return;
    const { entries } = await measureLayer(join(dir, id, layerNames.upper), { bytes: 0, entries: 0 });
    if (entries === 0) await remove(id);
    else await keep(id, "Tenon was stopped while the command ran");
  }
}

interface StoredLayer {
  readonly id: string;
  readonly record: LayerRecord;
}

const removedPrefix = "removed-";
const sparePrefix = "spare-";
/** How long a folder may be without a record. */
const newFolderMs = 60_000;

function layerIds(dir: string): string[] {
  return namesIn(dir).filter((name) => /^layer_[0-9a-f]{24}$/.test(name));
}

function namesIn(dir: string): string[] {
  return ignoring("ENOENT", () => readdirSync(dir)) ?? [];
}

function makeFolders(dir: string, workspace: string): void {
  makeFolder(dir, 0o700);
  mkdirSync(join(dir, layerNames.upper));
  mkdirSync(join(dir, layerNames.work));
  symlinkSync(workspace, join(dir, layerNames.lower));
}

/** The command sees the rights of the upper folder as those of the workspace. Returns the time of the file system. */
function takeRights(dir: string, workspace: string): bigint {
  const upper = join(dir, layerNames.upper);
  chmodSync(upper, lstatSync(workspace).mode & 0o7777);
  return lstatSync(upper, { bigint: true }).ctimeNs;
}

/** The oldest ones go first; the newest one stays even if it alone is too large. */
function expired(layers: readonly StoredLayer[], limits: LayerLimits, now: number): StoredLayer[] {
  const kept = layers
    .flatMap(({ id, record }) => (record.kept === undefined ? [] : [{ id, record, kept: record.kept }]))
    .toSorted((one, other) => other.kept.at - one.kept.at);
  let bytes = 0;
  return kept.filter(({ kept: { at, bytes: size } }, index) => {
    bytes += size;
    return (
      now - at > limits.maxAgeMs || index >= limits.maxKept || (index > 0 && bytes > limits.maxKeptBytes)
    );
  });
}

function toKept(id: string, record: LayerRecord, { maxAgeMs }: LayerLimits): KeptLayer | undefined {
  const { callId, sessionId, command, startedAt, kept } = record;
  if (kept === undefined) return undefined;
  const { at, reason, bytes, entries } = kept;
  const size = { bytes, entries };
  return { id, callId, sessionId, command, startedAt, reason, keptAt: at, expiresAt: at + maxAgeMs, size };
}
