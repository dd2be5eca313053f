import { definePageText } from "../../i18n/page-text.js";

export const changesText = definePageText(
  {
    task: "Task {id}",
    session: "Session {id}, without a task",
    showDiff: "Show diff",
    hideDiff: "Hide diff",
    diffOf: "{action}: {path}",
    noDiff: "The diff cannot be shown:",
    undone: "undone",
    trace: "Trace",
    files: "{n} {n:change|changes}",
    onlyTask: "Only the task {id}",
    onlyCall: "Only the call {id}",
    all: "Show all",
    noneFits: "No matching changes.",
  },
  {
    task: "任务 {id}",
    session: "会话 {id}（无任务）",
    showDiff: "显示差异",
    hideDiff: "隐藏差异",
    diffOf: "{action}：{path}",
    noDiff: "无法显示差异：",
    undone: "已撤销",
    trace: "调用链",
    files: "{n} 处更改",
    onlyTask: "仅任务 {id}",
    onlyCall: "仅调用 {id}",
    all: "显示全部",
    noneFits: "没有匹配的更改。",
  },
);
