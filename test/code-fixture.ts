import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileFixture, openFileFixture } from "./file-fixture.js";
import type { TenonOptions } from "../src/index.js";

/** One match of an answer. */
export interface Match {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly context: string;
  readonly kind: string;
}

/** An answer of code_query. */
export interface Answer {
  readonly matches: readonly Match[];
  readonly truncated: boolean;
  readonly index: { readonly state: string; readonly filesParsed: number; readonly filesKnown: number };
  readonly notes?: readonly string[];
}

/** A workspace with code in it. */
export interface CodeFixture extends FileFixture {
  /** Write files, their directories too. */
  readonly plant: (files: Readonly<Record<string, string>>) => void;
  readonly query: (query: string, more?: object) => Promise<Answer>;
  /** `file:line kind` of each match. */
  readonly places: (query: string, more?: object) => Promise<string[]>;
  /** Until the index answers. */
  readonly indexed: () => Promise<void>;
}

/** Open one. `index: false` as in a process that ends with its call. */
export function openCodeFixture(
  files: Readonly<Record<string, string>> = {},
  { index = true, ...options }: TenonOptions & { index?: boolean } = {},
): CodeFixture {
  const fixture = openFileFixture({ ...options, ...(!index && { jobs: false }) });
  const plant: CodeFixture["plant"] = (all) => {
    for (const [name, text] of Object.entries(all)) {
      mkdirSync(dirname(join(fixture.workspace, name)), { recursive: true });
      writeFileSync(join(fixture.workspace, name), text);
    }
  };
  plant(files);
  const query: CodeFixture["query"] = async (text, more = {}) =>
    (await fixture.ok("code_query", { query: text, ...more })) as unknown as Answer;
  return Object.assign(Object.create(fixture) as FileFixture, {
    plant,
    query,
    places: async (text: string, more = {}) =>
      (await query(text, more)).matches.map(({ file, line, kind }) => `${file}:${line} ${kind}`),
    async indexed() {
      for (;;) {
        const { index: state } = await query("x", { type: "file", limit: 1 });
        if (state.state === "ready" && state.filesParsed === state.filesKnown) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  });
}
