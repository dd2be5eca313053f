interface PageEntry {
  /** Its address, and its file: `pages/NAME/NAME-page.tsx`, with the page as its default export. */
  readonly name: string;
  readonly group: PageGroup;
  /** Its title in each language. */
  readonly en: string;
  readonly zh: string;
  /** Its addresses may name what is shown: a call, a tool, a server. */
  readonly hasRecords?: boolean;
  /** Pressed after `g`. */
  readonly key: string;
  /** A path in a square of 16 × 16. */
  readonly icon: string;
}

export type PageGroup = "now" | "records" | "work" | "setup" | "team";

/** Every page of the console, in the order of the navigation. A new page is its file and one line here. */
// oxfmt-ignore
export const pages = [
  { name: "live", group: "now", hasRecords: true, en: "Live", zh: "实时", key: "l", icon: "M2 8h3l2-5 3 10 2-5h2" },
  { name: "approvals", group: "now", hasRecords: true, en: "Approvals", zh: "审批", key: "a", icon: "M8 1.5l5.5 2v4c0 3.5-2.4 5.8-5.5 7-3.1-1.2-5.5-3.5-5.5-7v-4zM5.5 8l2 2 3.5-4" },
  { name: "jobs", group: "now", en: "Jobs", zh: "后台作业", key: "j", icon: "M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.5h3" },
  { name: "network", group: "now", en: "Network", zh: "网络", key: "n", icon: "M8 2.5v4M8 6.5H3.5v3M8 6.5h4.5v3M6.5 1h3v3h-3zM2 9.5h3v3H2zM11 9.5h3v3h-3z" },
  { name: "trace", group: "records", hasRecords: true, en: "Trace", zh: "调用链", key: "r", icon: "M2 3h6M5 7h7M8 11h6M2 3v8h6M5 3v4" },
  { name: "log", group: "records", hasRecords: true, en: "Log", zh: "日志", key: "o", icon: "M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3" },
  { name: "changes", group: "records", hasRecords: true, en: "Files changed", zh: "文件更改", key: "c", icon: "M9 2H4v12h8V5zM9 2v3h3M6 9h4M8 7v4M6 12.5h4" },
  { name: "metrics", group: "records", en: "Metrics", zh: "指标", key: "m", icon: "M2 14V2M2 14h12M5 11V8M8 11V5M11 11V7" },
  { name: "plan", group: "work", en: "Plan & memory", zh: "计划与记忆", key: "p", icon: "M2 3h5v4H2zM9 9h5v4H9zM4.5 7v4H9" },
  { name: "tools", group: "setup", hasRecords: true, en: "Tools", zh: "工具", key: "t", icon: "M10 2a3.5 3.5 0 0 0-3.3 4.7L2 11.4 4.6 14l4.7-4.7A3.5 3.5 0 0 0 14 6l-2.2 1.2-2-2L11 2.7A3.5 3.5 0 0 0 10 2z" },
  { name: "mcp", group: "setup", hasRecords: true, en: "MCP servers", zh: "MCP 服务器", key: "s", icon: "M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01" },
  { name: "policy", group: "setup", en: "Policy", zh: "策略", key: "y", icon: "M8 2v11M3 5h10M3 5l-1.5 4h3zM13 5l-1.5 4h3zM5 13.5h6" },
  { name: "fleet", group: "setup", en: "Fleet", zh: "集群", key: "f", icon: "M6 1.5h4v3H6zM1.5 11h4v3h-4zM10.5 11h4v3h-4zM8 4.5v3M3.5 11V7.5h9V11" },
  { name: "system", group: "setup", en: "System", zh: "系统", key: "e", icon: "M2 4h7M12 4h2M2 8h2M7 8h7M2 12h8M13 12h1M9 2.5v3M4 6.5v3M10 10.5v3" },
  { name: "people", group: "team", en: "People", zh: "成员", key: "u", icon: "M6 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M11 3a2.2 2.2 0 0 1 0 4.2M12.5 9.8c1.3.6 2 1.9 2 3.7" },
  { name: "tokens", group: "team", en: "Tokens", zh: "访问令牌", key: "k", icon: "M5 7.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.2 8.3L14 1.5M11 4.5l2 2M9 6.5l1.5 1.5" },
  { name: "secrets", group: "team", en: "Secrets", zh: "密钥", key: "x", icon: "M3 7h10v7H3zM5 7V4.5a3 3 0 0 1 6 0V7M8 10v1.5" },
  { name: "endpoints", group: "team", hasRecords: true, en: "Endpoints", zh: "端点", key: "d", icon: "M1.5 8h4M10.5 8h4M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.5v4M8 10.5v4" },
  { name: "sessions", group: "team", en: "Sessions", zh: "会话", key: "i", icon: "M2 3h12v8H2zM5.5 14h5M8 11v3M5 7h2l1-2 1.5 4 1-2H12" },
] as const satisfies readonly PageEntry[];

export type PageName = (typeof pages)[number]["name"];
