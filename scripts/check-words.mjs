/**
 * Finds words that docs/words.md tells us to avoid, in names, texts and comments.
 *
 *     node scripts/check-words.mjs [paths…]
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The changelog names what was renamed; the word list and its test name what they forbid. */
const exempt = new Set(["CHANGELOG.md", "docs/words.md", "test/words.test.ts", "scripts/check-words.mjs"]);

/** Names of programs and their options are data. */
const data = new Set([
  "src/policy/narrowest-rule.ts: wish",
  "src/text/language-table.ts: wish",
  "src/command/judge/read-only-text.ts: colour",
]);

/** The phrases of the table whose first column is headed "avoid". */
export function readAvoidedPhrases(page = readFileSync(join(root, "docs/words.md"), "utf8")) {
  const rows = page.slice(page.search(/^\| avoid /m)).split("\n");
  return rows.slice(2).flatMap((row) => /^\| (.+?) +\|/.exec(row)?.[1] ?? []);
}

/** Splits camelCase, kebab-case and snake_case, so that a phrase is found in names as in sentences. */
export function toWords(text) {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z']+/g, " ")
    .toLowerCase();
}

/** Upper limits are `max…`; a function may well look for the longest of something. */
const nameOfLimit = /(?:\b(?:const|let|readonly)\s+#?|#)((?:most|longest)[A-Z]\w*)/;

/** Where avoided phrases stand: one entry for each line and phrase. */
export function findAvoidedWords(text, phrases) {
  return text.split("\n").flatMap((line, index) => {
    const words = ` ${toWords(line)} `;
    const found = phrases.filter((phrase) => words.includes(` ${phrase.toLowerCase()} `));
    const limit = nameOfLimit.exec(line)?.[1];
    if (limit !== undefined) found.push(limit);
    return found.map((phrase) => ({ line: index + 1, phrase, text: line.trim() }));
  });
}

/** Checks the given files and folders of the repository, or all that people read. */
export function checkWords(
  paths = ["src", "console/src", "test", "docs", "examples", "scripts", "bench", "*.md"],
) {
  const phrases = readAvoidedPhrases();
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--", ...paths], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const isChecked = (file) => /\.(ts|tsx|mts|mjs|md|css|sh)$/.test(file) && !exempt.has(file);
  // A file that was deleted and not committed yet is still listed.
  const files = listed.split("\n").filter((file) => isChecked(file) && existsSync(join(root, file)));
  return files.flatMap((file) => [
    ...findAvoidedWords(file, phrases).map(({ phrase }) => `${file}: "${phrase}" in the file's name`),
    ...findAvoidedWords(
      readFileSync(join(root, file), "utf8"),
      phrases.filter((phrase) => !data.has(`${file}: ${phrase}`)),
    ).map(({ line, phrase, text }) => `${file}:${line}: "${phrase}": ${text.slice(0, 120)}`),
  ]);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const found = checkWords(process.argv.length > 2 ? process.argv.slice(2) : undefined);
  for (const line of found) console.log(line);
  console.log(`${found.length} found`);
  if (found.length > 0) process.exitCode = 1;
}
