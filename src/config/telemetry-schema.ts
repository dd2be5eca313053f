import * as z from "zod";
import { once } from "../schema/once.js";
import { text } from "./shared-schemas.js";

/** Spans of calls. */
export const telemetrySchema = once(() =>
  z.strictObject({
    enabled: z
      .boolean()
      .optional()
      .describe("Make OpenTelemetry spans of calls. @default true where otlpEndpoint is set, else false"),
    otlpEndpoint: z
      .string()
      .max(4096)
      .regex(/^https?:\/\/\S+$/i, "expected an http:// or https:// address")
      .optional()
      .describe("Collector that spans are sent to by OTLP over HTTP. @default the program's own provider"),
    headers: z
      .record(text(), z.string().max(4096))
      .optional()
      .describe("Sent to the collector, best as ${NAME}. @default {}"),
    serviceName: text().optional().describe('Name of the service in spans. @default "tenon"'),
    recordContent: z
      .boolean()
      .optional()
      .describe("Arguments and results in spans too, secrets hidden. @default false"),
  }),
);

/** Log lines of calls and tools. */
export const loggingSchema = once(() =>
  z.strictObject({
    file: text().optional().describe("File to append to. @default standard error"),
    pretty: z.boolean().optional().describe("Lines for people in the place of JSON. @default false"),
  }),
);
