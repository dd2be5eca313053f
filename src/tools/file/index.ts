import { once } from "../../contract/once.js";
import type { ToolMakers } from "../../contract/tool-makers.js";
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
export function createFileTools(): ToolMakers {
  const lines = once(createLineReader);
  return {
    read_file: () => createReadFile(lines()),
    read_file_truncated: () => createReadFileTruncated({ lines: lines(), syntax: createSyntax() }),
    read_file_with_limit: () => createReadFileWithLimit(lines()),
    list_files: () => listFiles,
    glob: () => glob,
    get_file_info: () => getFileInfo,
    write_file: () => writeFile,
    edit_file: () => editFile,
    multi_edit: () => multiEdit,
    apply_diff: () => applyDiff,
    apply_patch: () => applyPatch,
    undo_edit: () => undoEdit,
    edit_history: () => editHistory,
    delete_file: () => deleteFile,
    move_file: () => moveFile,
    copy_file: () => copyFile,
    make_directory: () => makeDirectory,
  };
}
