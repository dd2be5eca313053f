import { describe, expect, it } from "vitest";
import { IndexTables } from "./index-tables.js";
import { lookUp } from "./lookup.js";
import type { NameQuery } from "./messages.js";
import { fileStates } from "./parser.js";

const query: NameQuery = {
  name: "huge",
  containers: [],
  kinds: undefined,
  caseSensitive: false,
  scope: { below: "" },
  maxResults: 10,
};

describe("looking up a name", () => {
  it("counts the files that probably define it and could not be parsed", async () => {
    const tables = new IndexTables();
    const name = tables.names.add("huge");
    const add = (path: string, state: number, strong: number): void => {
      const version = { size: 1, changed: 1 };
      const id = tables.addFile(path, version);
      const possibleNames = Int32Array.of(name * 2 + strong);
      const scanned = { ...version, state: fileStates.scanned, readAt: 1, symbols: undefined };
      tables.setContent(id, { ...scanned, possibleNames });
      tables.setContent(id, { ...scanned, state, possibleNames: undefined });
    };
    add("defines.ts", fileStates.unparsed, 1);
    add("mentions.ts", fileStates.unparsed, 0);
    add("late.ts", fileStates.scanned, 1);
    const parseNow = async (ids: readonly number[]): Promise<number> => {
      for (const id of ids) {
        const { path: _, ...known } = tables.file(id)!;
        tables.setContent(id, { ...known, state: fileStates.unparsed });
      }
      return 0;
    };
    const { symbols, unread } = await lookUp(tables, query, { parseNow, until: Infinity });
    expect(symbols).toEqual([]);
    expect(unread, "defines.ts and late.ts").toBe(2);
  });
});
