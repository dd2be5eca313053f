export function buildConsoleState(
  base: string,
  size: {
    readonly records: number;
    readonly nested: number;
    readonly resultBytes: number;
    readonly changes: number;
    readonly servers: number;
    readonly tools: number;
  },
): Promise<{ readonly workspace: string; readonly config: string; readonly stateDir: string }>;
