import { ToolValidationError } from "./errors.js";

/** The error for a change that would make a file larger than `files.maxFileSize`. */
export function writeTooLarge(path: string, size: number, limit: number): ToolValidationError {
  const message = `${JSON.stringify(path)} would have ${size} bytes, which is more than the limit of ${limit} bytes for a file. Nothing was written.`;
  return new ToolValidationError(message, {
    code: "FILE_TOO_LARGE",
    hint: "Write less, split the content over several files, or raise files.maxFileSize.",
    details: { maxFileSize: limit, size },
  });
}
