import * as z from "zod";
import { once } from "../contract/once.js";
import { globs, nameGlob, text } from "./shared-schemas.js";

const exampleSchema = once(() =>
  z
    .strictObject({
      tool: text().describe("Name of the tool."),
      agent: text().optional().describe("Name of the agent. @default any"),
      user: text().optional().describe("Id of the user. @default any"),
      client: text().optional().describe("Name of the MCP client. @default none"),
      role: text().optional().describe("Role of the user. @default any"),
      endpoint: text().optional().describe("Name of the MCP endpoint. @default any"),
      session: text().optional().describe("Id of the session. @default any"),
      arguments: z.record(z.string(), z.unknown()).optional().describe("Its arguments. @default {}"),
    })
    .describe("A call that proves what the rule means."),
);

/** One rule of the policy. */
export const ruleSchema = once(() =>
  z.strictObject({
    id: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe("Name of the rule in decisions. @default its position (file:line:column)"),
    decision: z.enum(["allow", "ask", "deny"]).describe("What happens to a call that matches."),
    approvals: z
      .number()
      .int()
      .min(1)
      .max(10)
      .optional()
      .describe(
        "For ask: how many different people must approve; from 2 on, none of them may be the one in whose name the call is made. @default 1",
      ),
    tool: globs().optional().describe("Tools it applies to: one glob or several. @default every tool"),
    agent: globs().optional().describe("Agents it applies to. @default every agent"),
    user: globs().optional().describe("User ids it applies to. @default every user"),
    client: globs()
      .optional()
      .describe("MCP clients it applies to, by the name that they report. @default every client"),
    role: globs()
      .optional()
      .describe(
        "Roles it applies to: viewer, operator, approver, admin; local use is admin. @default every role",
      ),
    endpoint: globs().optional().describe("MCP endpoints it applies to (/mcp/NAME). @default every endpoint"),
    session: globs().optional().describe("Sessions it applies to, by their id. @default every session"),
    path: globs()
      .optional()
      .describe(
        "Paths it applies to, relative to the workspace or absolute; ~/ is the home folder. @default any path",
      ),
    access: z
      .enum(["read", "write"])
      .optional()
      .describe("Limits `path` to what is read or what is written. @default both"),
    command: z
      .union([text(), z.array(text()).min(1).max(1000)])
      .optional()
      .describe('Commands it applies to, by their first words ("git push"). @default any command'),
    exact: z
      .boolean()
      .optional()
      .describe("For allow: nothing may follow the words of `command` unless they end in *. @default false"),
    given: text()
      .optional()
      .describe(
        "With `exact`: what the command gets in addition to its words, as `tenon policy list` shows it. @default no input, the workspace as its folder, no variables",
      ),
    host: globs().optional().describe("Hosts it applies to. @default any host"),
    reason: text().optional().describe("Shown with the decision. @default generated from the rule"),
    match: z.array(exampleSchema()).max(1000).optional().describe("Calls that it must match. @default none"),
    notMatch: z
      .array(exampleSchema())
      .max(1000)
      .optional()
      .describe("Calls that it must not match. @default none"),
  }),
);

/** One rule of the policy, as written in a configuration. */
export type PolicyRule = z.output<ReturnType<typeof ruleSchema>>;

/** How many calls may be made in a time. */
export function callLimits() {
  const limit = (span: string) =>
    z.number().int().min(0).max(1e9).optional().describe(`Calls per ${span}. @default no limit`);
  return { perMinute: limit("minute"), perHour: limit("hour"), perDay: limit("day") };
}

/** How many calls a tool, an agent, a user or an MCP endpoint may make. */
export const quotaSchema = once(() =>
  z.strictObject({
    tool: nameGlob().optional().describe("Tools it counts. @default every tool"),
    agent: nameGlob().optional().describe("Agents it counts. @default every agent"),
    user: nameGlob().optional().describe("Users it counts, each for itself. @default everybody together"),
    endpoint: nameGlob()
      .optional()
      .describe("MCP endpoints it counts, each for itself. @default all together"),
    ...callLimits(),
    perTask: z.number().int().min(0).max(1e9).optional().describe("Calls per task. @default no limit"),
    perSession: z.number().int().min(0).max(1e9).optional().describe("Calls per session. @default no limit"),
  }),
);
