import type { Tool } from "../../contract/tool.js";
import { createSyntax } from "../../syntax/create-syntax.js";
import { applyDiff } from "./apply-diff.js";
import { applyPatch } from "./apply-patch.js";
import { copyFile } from "./copy-file.js";
import { deleteFile } from "./delete-file.js";
import { editFile } from "./edit-file.js";
import { editHistory } from "./edit-history.js";
import { getFileInfo } from "./get-file-info.js";
import { glob } from "./glob.js";
import { createLineReader } from "./lines/line-reader.js";
import { listFiles } from "./list-files.js";
import { makeDirectory } from "./make-directory.js";
import { moveFile } from "./move-file.js";
import { multiEdit } from "./multi-edit.js";
import { createReadFile } from "./read-file.js";
import { createReadFileTruncated } from "./read-file-truncated.js";
import { createReadFileWithLimit } from "./read-file-with-limit.js";
import { undoEdit } from "./undo-edit.js";
import { writeFile } from "./write-file.js";

/** The file tools. Line indexes and call counts live as long as the tools. */
export function createFileTools(): readonly Tool[] {
  const lines = createLineReader();
  return [
    createReadFile(lines),
    createReadFileTruncated({ lines, syntax: createSyntax() }),
    createReadFileWithLimit(lines),
    listFiles,
    glob,
    getFileInfo,
    writeFile,
    editFile,
    multiEdit,
    applyDiff,
    applyPatch,
    undoEdit,
    editHistory,
    deleteFile,
    moveFile,
    copyFile,
    makeDirectory,
  ];
}
