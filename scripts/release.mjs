// npm run release -- major|minor|patch|VERSION [--dry-run]: check, build the docs, set the version, move what is under
// "Unreleased" in CHANGELOG.md below the version and the date, commit and tag. Nothing is pushed or published.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import semver from "semver";

const root = process.cwd();
const files = ["package.json", "package-lock.json", "CHANGELOG.md"];

try {
  release(readArguments());
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

function release({ step, dryRun }) {
  const current = JSON.parse(read("package.json")).version;
  const version = nextVersion(current, step);
  const tag = `v${version}`;
  requireCleanTree();
  if (git("tag", "--list", tag) !== "") throw new Error(`The tag ${tag} exists already.`);
  const { changelog, notes } = moveUnreleased(read("CHANGELOG.md"), version, today());
  console.log(`${current} -> ${version}\n\n${notes}\n`);
  if (dryRun) {
    console.log(
      `Dry run: would run npm run check and npm run docs, change ${files.join(", ")}, commit and tag ${tag}.`,
    );
    return;
  }
  runCheck();
  requireCleanTree();
  try {
    write("package.json", setVersion(read("package.json"), current, version, 1));
    write("package-lock.json", setVersion(read("package-lock.json"), current, version, 2));
    write("CHANGELOG.md", changelog);
    git("commit", "--quiet", "--message", `Release ${version}`, "--", ...files);
  } catch (error) {
    git("checkout", "--quiet", "HEAD", "--", ...files);
    throw error;
  }
  git("tag", "--annotate", tag, "--cleanup", "verbatim", "--message", `Tenon ${version}\n\n${notes}\n`);
  console.log(`Committed and tagged ${tag}. To publish it:\n  git push --follow-tags\n  npm publish`);
}

function readArguments() {
  const { values, positionals } = parseArgs({
    options: { "dry-run": { type: "boolean" } },
    allowPositionals: true,
  });
  if (positionals.length !== 1) throw new Error("Say which: npm run release -- major|minor|patch|VERSION");
  return { step: positionals[0], dryRun: values["dry-run"] === true };
}

/** One step up, or the given version where it is newer. */
function nextVersion(current, step) {
  if (["major", "minor", "patch"].includes(step)) return semver.inc(current, step);
  const given = semver.valid(step);
  if (given === null) throw new Error(`Expected major, minor, patch or a version, got "${step}".`);
  if (!semver.gt(given, current)) throw new Error(`${given} is not newer than ${current}.`);
  return given;
}

function requireCleanTree() {
  const changes = git("status", "--porcelain");
  if (changes !== "") throw new Error(`Commit or stash these changes first:\n${changes}`);
}

/** What is under "Unreleased" gets a heading of its own; "Unreleased" stays, empty. */
function moveUnreleased(text, version, date) {
  const heading = /^## Unreleased[ \t]*\n/m.exec(text);
  if (heading === null) throw new Error('CHANGELOG.md has no heading "## Unreleased".');
  const start = heading.index + heading[0].length;
  const length = text.slice(start).search(/^## /m);
  const notes = text.slice(start, length === -1 ? undefined : start + length).trim();
  if (notes === "") throw new Error('CHANGELOG.md says nothing under "Unreleased".');
  const rest = text.slice(start).trimStart();
  return { notes, changelog: `${text.slice(0, start)}\n## ${version} (${date})\n\n${rest}` };
}

function runCheck() {
  for (const script of ["check", "docs"]) {
    try {
      execFileSync("npm", ["run", script], { cwd: root, stdio: "inherit" });
    } catch {
      throw new Error(`npm run ${script} failed: nothing was changed.`);
    }
  }
}

/** Change the first places only, so that the rest of the file stays as it is. */
function setVersion(text, from, to, times) {
  let changed = text;
  for (let at = 0; at < times; at++) {
    const next = changed.replace(`"version": ${JSON.stringify(from)}`, `"version": ${JSON.stringify(to)}`);
    if (next === changed) throw new Error(`Found no version ${from} to change.`);
    changed = next;
  }
  return changed;
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function read(name) {
  return readFileSync(join(root, name), "utf8");
}

function write(name, text) {
  writeFileSync(join(root, name), text);
}

function git(...args) {
  return execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
}
