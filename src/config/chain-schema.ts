import * as z from "zod";
import { once } from "../contract/once.js";
import { toolCategories } from "../contract/tool.js";
import { whole } from "./setting.js";
import { milliseconds, text } from "./shared-schemas.js";

const template = once(() =>
  z.json().describe("Data; its texts may contain {{ input.name }} and {{ steps.id.field }}."),
);

const comparison = once(() =>
  z.strictObject({
    value: z.string().max(10_000).describe("A reference, such as {{ steps.list.count }}."),
    equals: template().optional().describe("It is this."),
    notEquals: template().optional().describe("It is not this."),
    in: z.array(template()).max(1000).optional().describe("It is one of these."),
    greaterThan: z.number().optional().describe("It is a number above this."),
    lessThan: z.number().optional().describe("It is a number below this."),
    exists: z.boolean().optional().describe("It exists, or it does not."),
  }),
);

const step = once(() =>
  z.strictObject({
    id: text().describe("Name under which later steps find its result."),
    tool: text().describe("Tool that it calls: a name, an alias or name@range."),
    input: template().optional().describe("Arguments of the call. @default {}"),
    when: z
      .union([z.string().max(10_000), comparison()])
      .optional()
      .describe("It runs only if this holds. @default always"),
    retry: z
      .strictObject({
        attempts: z.int().min(0).max(100).describe("Attempts after the first one."),
        delayMs: milliseconds().optional().describe("First delay; it doubles each time. @default 100"),
      })
      .optional()
      .describe("How often it is retried. @default never"),
    fallback: z
      .union([
        text(),
        z.strictObject({
          tool: text().describe("Tool that is called instead."),
          input: template().optional().describe("Arguments of that call. @default those of the step"),
        }),
      ])
      .optional()
      .describe("Tool that is called if the first one fails."),
    optional: z.boolean().optional().describe("The chain continues if it fails. @default false"),
  }),
);

const parallel = once(() =>
  z.strictObject({
    parallel: z.array(step()).min(1).max(1000).describe("Steps that run at the same time."),
  }),
);

/** Tools that combine other tools, by name. */
export const chainsSchema = once(() =>
  z.record(
    text(),
    whole(
      z.strictObject({
        description: text().describe("What it does, in a sentence: models choose by it."),
        category: z.enum(toolCategories).optional().describe('Category of the tool. @default "custom"'),
        input: z
          .union([z.record(z.string(), z.json()), z.array(z.record(z.string(), z.json())).max(1000)])
          .optional()
          .describe("What it accepts: a JSON Schema, or a list of parameters. @default nothing"),
        readOnly: z
          .boolean()
          .optional()
          .describe("It changes nothing; checked against its steps. @default false"),
        steps: z
          .array(z.union([step(), parallel()]))
          .min(1)
          .max(1000)
          .describe("Steps, run one after the other."),
        result: template().optional().describe("What it returns. @default the result of its last step"),
      }),
    ),
  ),
);

/** One chain as people write it. */
export type ChainConfig = z.output<ReturnType<typeof chainsSchema>>[string];
