import type { ToolMakers } from "../../contract/tool-makers.js";
import { snippetDelete } from "./snippet-delete.js";
import { snippetList } from "./snippet-list.js";
import { snippetLoad } from "./snippet-load.js";
import { snippetSave } from "./snippet-save.js";

export const snippetTools: ToolMakers = {
  snippet_save: () => snippetSave,
  snippet_load: () => snippetLoad,
  snippet_list: () => snippetList,
  snippet_delete: () => snippetDelete,
};
