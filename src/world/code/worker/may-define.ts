import { IntList } from "./int-list.js";
import { coreOf } from "./name-fits.js";
import { NamePool } from "./name-pool.js";
import { scanNames } from "./scan-names.js";

/** How likely a text defines a name: a keyword says so, it looks like it, or it does not. */
export type Likelihood = "likely" | "possible" | "no";

/** Bytes before and after a name that tell what it is. */
const around = 160;
/** A name that stands in a file more often than this is taken for one that may be defined there. */
const mostLooks = 2000;

/** A quick look for one name: only the places where it stands are scanned. */
export function createMayDefine(name: string): (source: Uint8Array, language: string) => Likelihood {
  const core = coreOf(name);
  const bytes = Buffer.from(core);
  return (source, language) => {
    // What has no letters (`==`) cannot be told apart quickly.
    if (core === "") return "possible";
    const buffer = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const pool = new NamePool();
    const stamps = { values: new Int32Array(64), file: 0 };
    const found = new IntList(64);
    let looks = 0;
    const first = buffer.indexOf(bytes);
    // It was found in another case.
    if (first === -1) return "possible";
    for (let at = first; at !== -1; at = buffer.indexOf(bytes, at + bytes.length)) {
      if (looks++ > mostLooks) return "possible";
      const line = buffer.lastIndexOf(10, at) + 1;
      const start = Math.max(line, at - around);
      scanNames(buffer.subarray(start, at + bytes.length + around), language, { pool, stamps, found });
    }
    const names = pool.takeNew().split("\n");
    const noted = found.view().filter((note) => names[note >> 1]!.includes(core));
    if (noted.length === 0) return "no";
    return noted.some((note) => (note & 1) === 1) ? "likely" : "possible";
  };
}
