import { joinName } from "../../files/path-text.js";
import { toPathText } from "../../files/raw-path.js";
import type { LayerPath } from "./layer-types.js";

const slash = Buffer.from("/");

/** The path of an entry in a folder; the workspace itself is `undefined`. */
export function childPath(folder: LayerPath | undefined, name: Buffer): LayerPath {
  const text = name.toString();
  const path = folder === undefined ? text : `${folder.path}/${text}`;
  const isExact = folder?.bytes === undefined && Buffer.from(text).equals(name);
  if (isExact) return { path };
  if (folder === undefined) return { path, bytes: name };
  return { path, bytes: Buffer.concat([folder.bytes ?? Buffer.from(folder.path), slash, name]) };
}

/** The path of an entry below a root, for file system calls. */
export function pathBelow(root: string, { path, bytes }: LayerPath): string | Buffer {
  return bytes === undefined ? joinName(root, path) : Buffer.concat([Buffer.from(root), slash, bytes]);
}

/** The same as a text for the journal, which names that are not valid UTF-8 survive. */
export function textBelow(root: string, path: LayerPath): string {
  const found = pathBelow(root, path);
  return typeof found === "string" ? found : toPathText(found);
}

/** A key that differs for different paths, even if they look the same as text. */
export function keyOf({ path, bytes }: LayerPath): string {
  return (bytes ?? Buffer.from(path)).toString("latin1");
}
