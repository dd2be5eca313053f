import { definePageText } from "../../i18n/page-text.js";

export const systemText = definePageText(
  {
    doctor: "Checks",
    configuration: "Configuration in force",
    sources: "Sources, the strongest first",
    again: "Check again",
    warnings: "Warnings",
    settings: "Settings",
    search: "Search settings",
    setting: "Setting",
    value: "Value",
    source: "Source",
    onlyChanged: "Only those that differ from the default",
    noneFits: "No matching settings.",
    more: "Show {n} more",
    about:
      "Values that may be secrets are hidden. Settings other than MCP servers are applied when the server is restarted.",
  },
  {
    doctor: "检查",
    configuration: "生效的配置",
    sources: "配置来源（优先级从高到低）",
    again: "重新检查",
    warnings: "警告",
    settings: "设置",
    search: "搜索设置",
    setting: "设置项",
    value: "值",
    source: "来源",
    onlyChanged: "仅显示非默认的设置",
    noneFits: "没有匹配的设置。",
    more: "再显示 {n} 项",
    about: "可能是密钥的值已隐藏。除 MCP 服务器外，其他设置在服务器重启后生效。",
  },
);
