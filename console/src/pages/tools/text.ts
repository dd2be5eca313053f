import { definePageText } from "../../i18n/page-text.js";

/** Texts of the forms. */
export const formText = definePageText(
  {
    key: "{name}: name {n}",
    keyName: "Name",
    keyTwice: "Another entry has this name.",
    valueOf: "Value of {key}",
    examples: "Examples:",
    held: "The server {server} offers this tool, but it is held:",
    review: "Review it",
  },
  {
    key: "{name}：名称 {n}",
    keyName: "名称",
    keyTwice: "已有同名条目。",
    valueOf: "{key} 的值",
    examples: "示例：",
    held: "服务器 {server} 提供此工具，但需审核后才能使用：",
    review: "前往审核",
  },
);
