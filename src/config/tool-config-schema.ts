import * as z from "zod";
import { once } from "../contract/once.js";
import { logLevels, securityLevels } from "./levels.js";
import { outputTokens } from "./output-schema.js";
import { setting } from "./setting.js";
import { atLeastOne, count, milliseconds, paths, text, webAddress } from "./shared-schemas.js";
import { added, smaller, stricterIn } from "./tighten-rules.js";

const toolsOwn = "the tool's own";

const concurrency = once(() =>
  z.strictObject({
    isConcurrencySafe: setting(z.boolean(), "`false`: its calls run one after the other.", {
      defaultText: toolsOwn,
      tighten: stricterIn([false, true]),
    }),
    maxConcurrentCalls: setting(atLeastOne(), "Its calls that run at the same time.", {
      defaultText: toolsOwn,
      tighten: smaller,
    }),
    queueSize: setting(count(), "Its calls that may wait.", {
      defaultText: "tools.maxQueued",
      tighten: smaller,
    }),
  }),
);

const permissions = once(() =>
  z.strictObject({
    allowedPaths: setting(paths(), "The only paths it may touch.", { defaultText: "all that are allowed" }),
    forbiddenPaths: setting(paths(), "Paths it may not touch, in addition to the general ones.", {
      defaultText: "[]",
      merge: "add",
      tighten: added,
    }),
    requiredCapabilities: setting(
      z.array(text()).max(1000),
      "Capabilities an agent needs for it, in addition to the tool's own.",
      { defaultText: "[]", merge: "add", tighten: added },
    ),
    // A tool that is considered more harmful exceeds the cap sooner, so the highest level is the strictest.
    securityLevel: setting(
      z.enum(securityLevels),
      "How harmful it is considered, compared with the general cap.",
      { defaultText: toolsOwn, tighten: stricterIn(securityLevels.toReversed()) },
    ),
  }),
);

const monitoring = once(() =>
  z.strictObject({
    enableMetrics: setting(z.boolean(), "Count and time its calls.", { defaultText: "true" }),
    enableTracing: setting(z.boolean(), "Create spans for its calls.", { defaultText: "true" }),
    logLevel: setting(z.enum(logLevels), "Lowest level it logs at.", { defaultText: "logLevel" }),
  }),
);

/**
 * The settings of one tool. None has a default here, since each tool brings its own limits: a number counts as smaller
 * only than a configured one, or if it is the smallest there is.
 */
export const toolConfigSchema = once(() =>
  z.strictObject({
    enabled: setting(z.boolean(), "`false` removes the tool.", {
      defaultText: "true",
      tighten: stricterIn([false, true], true),
    }),
    priority: setting(
      z.number().int().min(-1000).max(1000),
      "Higher runs first among calls that are ready.",
      { defaultText: toolsOwn },
    ),
    timeout: setting(milliseconds(), "Its time limit in ms.", { defaultText: toolsOwn, tighten: smaller }),
    retryAttempts: setting(z.number().int().min(0).max(100), "Attempts after the first one.", {
      defaultText: toolsOwn,
      tighten: smaller,
    }),
    maxTokens: setting(outputTokens(), "Estimated tokens of text for the model of one call.", {
      defaultText: "tools.output.maxTokens",
      tighten: smaller,
    }),
    concurrency: concurrency().optional().describe("How many of its calls run and wait."),
    permissions: permissions().optional().describe("What it may touch, and which agents can use it."),
    monitoring: monitoring().optional().describe("What is measured and logged."),
    custom: setting(z.record(z.string(), z.unknown()), "Passed to the tool as ctx.settings.", {
      defaultText: "{}",
    }),
  }),
);

/** The search provider of `web_search`. */
export const webSearchSchema = once(() =>
  z.strictObject({
    provider: setting(z.enum(["tavily", "google", "duckduckgo", "brave", "searxng"]), "The search service.", {
      defaultText: '"tavily"',
    }),
    apiKey: setting(z.string().max(4096), "Best as ${NAME}.", { defaultText: "none" }),
    maxResults: setting(z.number().int().min(1).max(100), "Results of one search.", { defaultText: "10" }),
    url: setting(webAddress(), "Address of your own instance (searxng).", { defaultText: "the provider's" }),
    engineId: setting(text(), "Id of the search engine (google).", { defaultText: "none" }),
  }),
);
