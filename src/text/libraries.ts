import { createRequire } from "node:module";
import type * as Chardet from "chardet";
import type * as Diff from "diff";
import type * as Iconv from "iconv-lite";
import type * as Yaml from "yaml";
import { once } from "../contract/once.js";

/** The part of iconv-lite that its types leave out: the tables, by name, an alias being a string. */
interface IconvTables {
  readonly encodings: Readonly<Record<string, string | { readonly type?: unknown }>>;
}

/** iconv-lite, loaded on first use: most files are UTF-8 and never need its tables. */
export const loadIconv = once(
  () => createRequire(import.meta.url)("iconv-lite") as typeof Iconv & IconvTables,
);

/** chardet, loaded on first use. */
export const loadChardet = once(() => createRequire(import.meta.url)("chardet") as typeof Chardet);

/** The `yaml` package, loaded on first use. */
export const loadYaml = once(() => createRequire(import.meta.url)("yaml") as typeof Yaml);

/** The `diff` package, loaded on first use. */
export const loadDiff = once(() => createRequire(import.meta.url)("diff") as typeof Diff);
