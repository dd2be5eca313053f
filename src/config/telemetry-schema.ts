import * as z from "zod";
import { once } from "../contract/once.js";
import { section, setting, whole } from "./setting.js";
import { text, webAddress } from "./shared-schemas.js";

/** Spans of calls. */
export const telemetrySection = once(() =>
  whole(
    section("OpenTelemetry spans of calls. @default none", {
      enabled: setting(z.boolean(), "Create OpenTelemetry spans for calls.", {
        defaultText: "true where otlpEndpoint is set, else false",
      }),
      otlpEndpoint: setting(webAddress(), "Collector that spans are sent to by OTLP over HTTP.", {
        defaultText: "the program's own provider",
      }),
      headers: setting(
        z.record(text(), z.string().max(4096)),
        "Headers sent to the collector, best as ${NAME}.",
        { defaultText: "{}" },
      ),
      serviceName: setting(text(), "Name of the service in spans.", { default: "tenon" }),
      recordContent: setting(z.boolean(), "Include arguments and results in spans, with secrets hidden.", {
        default: false,
      }),
    }),
  ),
);

/** Log lines of calls and tools. */
export const loggingSchema = once(() =>
  z.strictObject({
    file: setting(text(), "File to append to.", { defaultText: "standard error" }),
    pretty: setting(z.boolean(), "Lines for people instead of JSON.", { defaultText: "false" }),
  }),
);
