import { IntList } from "./int-list.js";
import { coreOf } from "./name-fits.js";
import { NamePool } from "./name-pool.js";
import { scanNames } from "./scan-names.js";

/** How likely a text defines a name: a keyword precedes it, the bytes around it suggest it, or neither. */
export type Likelihood = "likely" | "possible" | "no";

/** Bytes before and after a name that are scanned. */
const around = 160;
/** A file that contains the name more often than this counts as possible. */
const maxOccurrences = 2000;

/** A quick check for one name: only its occurrences are scanned. */
export function createMayDefine(name: string): (source: Uint8Array, language: string) => Likelihood {
  const core = coreOf(name);
  const bytes = Buffer.from(core);
  return (source, language) => {
    // Names without letters (`==`) cannot be scanned for.
    if (core === "") return "possible";
    const buffer = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const pool = new NamePool();
    const stamps = { values: new Int32Array(64), file: 0 };
    const found = new IntList(64);
    let occurrences = 0;
    const first = buffer.indexOf(bytes);
    // It was found in another case.
    if (first === -1) return "possible";
    for (let at = first; at !== -1; at = buffer.indexOf(bytes, at + bytes.length)) {
      if (occurrences++ > maxOccurrences) return "possible";
      const line = buffer.lastIndexOf(10, at) + 1;
      const start = Math.max(line, at - around);
      scanNames(buffer.subarray(start, at + bytes.length + around), language, { pool, stamps, found });
    }
    const names = pool.takeNew().split("\n");
    const possibleNames = found.view().filter((note) => names[note >> 1]!.includes(core));
    if (possibleNames.length === 0) return "no";
    return possibleNames.some((note) => (note & 1) === 1) ? "likely" : "possible";
  };
}
