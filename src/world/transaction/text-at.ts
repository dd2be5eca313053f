import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { ignoring, errnoOf } from "../../contract/errno.js";
import { keepOpen, type KeptOpener } from "../files/keep-open.js";
import { chooseOpener } from "../files/opener.js";
import { isAbsent, openPath } from "../journal/open-path.js";
import { readWhole } from "../journal/text-pack.js";
import { textBelow } from "../sandbox/layer/layer-path.js";
import type { CommandLayer, EntryState, LayerPath } from "../sandbox/layer/layer-types.js";
import { createSeenContents, type SeenContents } from "./seen-contents.js";

/** Reads what a path is on both sides of a layer, for a person or a model. */
export interface LayerTexts {
  /**
   * The text of a file, or where a link leads; "" if nothing is there, `undefined` for anything that is not text. With
   * `state`, a file is not read again that was read as this very version.
   */
  before(path: LayerPath, state?: EntryState): string | undefined;
  after(path: LayerPath, state?: EntryState): string | undefined;
  close(): void;
}

const maxTextBytes = 1 << 20;
/** A link is not followed, and a FIFO does not block. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Read through directories that were where their path says when they were opened: a background job that replaces one by a
 * link to another place must not have that shown. What is read of a directory after it was moved is still its own.
 */
export function openLayerTexts(
  { workspace, upper }: CommandLayer,
  seen: SeenContents = createSeenContents(),
): LayerTexts {
  const opener = keepOpen(chooseOpener(), { pinned: "/", own: upper });
  const textOf = (root: string, path: LayerPath, state: EntryState | undefined): string | undefined => {
    const known = state?.kind === "file" ? seen.find(state) : undefined;
    return known === undefined ? textAt(opener, textBelow(root, path), seen) : toText(known);
  };
  return {
    before: (path, state) => textOf(workspace, path, state),
    after: (path, state) => textOf(upper, path, state),
    close: () => opener.close(),
  };
}

function textAt(opener: KeptOpener, real: string, seen: SeenContents): string | undefined {
  try {
    const opened = openPath(opener, real);
    try {
      return readText(opened.at, seen);
    } finally {
      opened.directory.close();
    }
  } catch (error) {
    // A link that leads in a circle is where a folder should be.
    if (isAbsent(error) || errnoOf(error) === "ELOOP") return "";
    if (unreadable.has(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Its owner may not read it, it is a socket or a device that nobody serves, or its path is too long. */
const unreadable = new Set(["EACCES", "EPERM", "ENXIO", "ENODEV", "ENAMETOOLONG"]);

function readText(at: string | Buffer, seen: SeenContents): string | undefined {
  const fd = openFile(at);
  if (fd === undefined) return `${readlinkSync(at)}\n`;
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile() || stat.size > maxTextBytes) return undefined;
    const bytes = readWhole(fd, Number(stat.size));
    seen.add(stat, bytes);
    return toText(bytes);
  } finally {
    closeSync(fd);
  }
}

function toText(bytes: Buffer): string | undefined {
  return bytes.includes(0) ? undefined : bytes.toString("utf8");
}

/** `undefined` if it is a link. */
function openFile(at: string | Buffer): number | undefined {
  return ignoring("ELOOP", () => openSync(at, flags));
}
