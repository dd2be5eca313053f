import type { Tool } from "../../contract/tool.js";
import { snippetDelete } from "./snippet-delete.js";
import { snippetList } from "./snippet-list.js";
import { snippetLoad } from "./snippet-load.js";
import { snippetSave } from "./snippet-save.js";

export const snippetTools: readonly Tool[] = [snippetSave, snippetLoad, snippetList, snippetDelete];
