import { JsonFault, readJson } from "../schema/read-json.js";
import { isForbiddenKey, pathKey, sourceLimits, type ParsedText, type ParseFault } from "./source.js";

/** Parse JSON and remember the position of every key and value. */
export function parseJson(text: string): ParsedText {
  const offsets = new Map<string, { key?: number; value: number }>();
  const faults: ParseFault[] = [];
  try {
    const value = readJson(text, {
      onValue(path, position, key) {
        if (offsets.size >= sourceLimits.nodes)
          throw new JsonFault(position, path, `more than ${sourceLimits.nodes} values`);
        if (path.length > sourceLimits.depth)
          throw new JsonFault(position, path.slice(0, 3), `nested deeper than ${sourceLimits.depth} levels`);
        offsets.set(pathKey(path), key === undefined ? { value: position } : { key, value: position });
      },
      onKey(path, offset, object) {
        const key = String(path.at(-1));
        const isForbidden = isForbiddenKey(key);
        if (isForbidden) faults.push({ offset, path, message: "this key is not allowed" });
        else if (Object.hasOwn(object, key)) faults.push({ offset, path, message: "duplicate key" });
        return !isForbidden;
      },
    });
    return { value, faults, offsets };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { position: offset, path, message } = error;
    return {
      value: undefined,
      faults: [...faults, { offset, path, message: `invalid JSON: ${message}` }],
      offsets,
    };
  }
}
