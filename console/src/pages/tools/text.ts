import { definePageText } from "../../i18n/page-text.js";

/** Texts of the forms. */
export const formText = definePageText(
  {
    key: "{name}: name {n}",
    keyName: "Name",
    keyTwice: "Another entry has this name.",
    valueOf: "Value of {key}",
    examples: "Examples:",
  },
  {
    key: "{name}：名称 {n}",
    keyName: "名称",
    keyTwice: "已有同名条目。",
    valueOf: "{key} 的值",
    examples: "示例：",
  },
);
