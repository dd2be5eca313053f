// Writes config.schema.json and the list of keys in docs/reference/configuration.md from the Zod schema.
import { readFile, writeFile } from "node:fs/promises";
import { createJiti } from "jiti";

const root = new URL("../", import.meta.url);
const jiti = createJiti(import.meta.url, { fsCache: false });
const { configJsonSchema } = await jiti.import("../src/config/known-keys.ts");
const { configReference } = await jiti.import("../src/config/config-reference.ts");

const schema = configJsonSchema();
await writeFile(new URL("config.schema.json", root), `${JSON.stringify(schema, null, 2)}\n`);

const page = new URL("docs/reference/configuration.md", root);
const text = await readFile(page, "utf8");
const marks = /(<!-- keys -->\n)[^]*(<!-- \/keys -->)/;
if (!marks.test(text)) throw new Error(`${page.pathname} has lost the marks around its list of keys`);
const list = configReference(schema);
await writeFile(
  page,
  text.replace(marks, (_, start, end) => `${start}\n${list}\n\n${end}`),
);
