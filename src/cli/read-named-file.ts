import { readFileSync } from "node:fs";
import { toFileProblem } from "../contract/file-problem.js";
import { UsageError } from "./command-line.js";

/** The text of a file that an option names, such as `--rules`. */
export function readNamedFile(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read ${option} ${file}: ${toFileProblem(error)}.`);
  }
}
