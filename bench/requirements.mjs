// What a suite needs besides `npm install`: `export const needs = [{ peer: "mcp-proxy" }, { program: "ctags" }]`.
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * @typedef {{ readonly peer: string } | { readonly program: string }} Requirement
 * `peer` is a package of test/peers, `program` one on the PATH.
 */

/**
 * Those of the requirements that are not met.
 * @param {string} root The project's folder.
 * @param {readonly Requirement[]} needs
 */
export function findMissing(root, needs) {
  return needs.filter((need) =>
    "peer" in need
      ? !existsSync(join(root, "test/peers/node_modules", need.peer, "package.json"))
      : !isOnPath(need.program),
  );
}

/** @param {Requirement} need */
export function describeMissing(need) {
  return "peer" in need
    ? `bench: ${need.peer} is not installed in test/peers. Run: npm run setup`
    : `bench: the program ${need.program} is missing. Run: npm run setup`;
}

function isOnPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
