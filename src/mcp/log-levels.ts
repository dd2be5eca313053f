/** MCP's levels of log messages, the most talkative first. */
export const logLevels: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];
