import { createRequire } from "node:module";
import type * as Chardet from "chardet";
import type * as Diff from "diff";
import type * as Iconv from "iconv-lite";
import type * as Yaml from "yaml";

/** The part of iconv-lite that its types leave out: the tables, by name, an alias being a string. */
interface IconvTables {
  readonly encodings: Readonly<Record<string, string | { readonly type?: unknown }>>;
}

const require = createRequire(import.meta.url);

/** iconv-lite, loaded on first use: most files are UTF-8 and never need its tables. */
export function loadIconv(): typeof Iconv & IconvTables {
  return require("iconv-lite") as typeof Iconv & IconvTables;
}

/** chardet, loaded on first use. */
export function loadChardet(): typeof Chardet {
  return require("chardet") as typeof Chardet;
}

/** The `yaml` package, loaded on first use. */
export function loadYaml(): typeof Yaml {
  return require("yaml") as typeof Yaml;
}

/** The `diff` package, loaded on first use. */
export function loadDiff(): typeof Diff {
  return require("diff") as typeof Diff;
}
