import * as z from "zod";
import { toolCategories } from "../contract/tool.js";
import { once } from "../contract/once.js";
import { cacheSection, loopGuardSection, outputSection } from "./output-schema.js";
import { quotaSchema } from "./rule-schema.js";
import { serverListSchema } from "./server-schema.js";
import { section, setting } from "./setting.js";
import { atLeastOne, bytes, count, nameGlob, milliseconds, paths, text } from "./shared-schemas.js";
import { added, fewer, smaller } from "./tighten-rules.js";
import { toolConfigSchema, webSearchSchema } from "./tool-config-schema.js";

/** Which tools there are and how they run. */
export const toolsSection = once(() =>
  section("Which tools there are and how they run.", {
    enabled: setting(z.array(nameGlob()).max(10_000), "Only these tools (globs).", {
      default: [],
      defaultText: "all",
      merge: "add",
      tighten: added,
    }),
    workspaceDir: setting(text(), "Alias of workspaceDir."),
    timeout: setting(milliseconds(), "Time limit in ms of tools that set none themselves.", {
      default: 30_000,
      tighten: smaller,
    }),
    maxConcurrent: setting(atLeastOne(), "Calls that run at the same time.", {
      default: 10,
      tighten: smaller,
    }),
    maxQueued: setting(count(), "Calls that may wait.", { default: 1000, tighten: smaller }),
    allowedPaths: setting(
      paths(),
      "The only paths of the workspace that tools and commands may use. Paths outside the workspace are added, as files.allowedPaths adds them.",
      { default: [], defaultText: "the whole workspace", merge: "add", tighten: added },
    ),
    forbiddenPaths: setting(paths(), "Alias of files.forbiddenPaths."),
    maxFileSize: setting(bytes(), "Alias of files.maxFileSize."),
    allowedCommands: setting(
      z.array(text()).max(1000),
      "The only commands that a shell line may run, by their first word.",
      { defaultText: "any", tighten: fewer },
    ),
    webSearch: setting(webSearchSchema(), "The search provider of web_search.", {
      defaultText: "none",
      merge: "whole",
    }),
    mcpServers: setting(serverListSchema(), "MCP servers as a list.", { defaultText: "[]" }),
    perTool: setting(z.record(text(), toolConfigSchema()), "Settings by tool name.", { default: {} }),
    cache: cacheSection(),
    output: outputSection(),
    loopGuard: loopGuardSection(),
    listing: setting(
      z.enum(["all", "compact", "search"]),
      "What MCP hosts are shown: all tools; all in short, without output schemas; or only those that find, describe and call the others.",
      { default: "all" },
    ),
    native: setting(
      z.array(z.enum(["anthropic", "openai"])).max(2),
      "Providers whose models get the tools that they were trained on, in place of Tenon's own.",
      { default: [] },
    ),
    quotas: setting(z.array(quotaSchema()).max(1000), "How many calls may be made.", {
      default: [],
      merge: "add",
      tighten: added,
    }),
  }),
);

/** The tools of one toolset: by name, by glob or by what they are. */
export const toolsetSchema = once(() =>
  z
    .array(
      z.union([
        nameGlob(),
        z
          .strictObject({
            category: setting(z.enum(toolCategories), "All tools of a category."),
            readOnly: setting(z.literal(true), "All tools that change nothing."),
            name: setting(nameGlob(), "All tools whose names match the glob."),
          })
          .refine((by) => Object.keys(by).length > 0, "expected category, readOnly or name"),
      ]),
    )
    .max(10_000),
);
