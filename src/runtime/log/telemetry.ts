import { withinTime } from "../../contract/system-clock.js";
import { createRequire } from "node:module";
import type * as otel from "@opentelemetry/api";
import type * as exporter from "@opentelemetry/exporter-trace-otlp-http";
import type * as sdk from "@opentelemetry/sdk-trace-node";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import type { Recorder } from "../../contract/ports/recorder.js";
import type { EventBus } from "../../record/event-bus.js";
import { createSpanWriter } from "../../record/spans.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";

/** How spans are created, beyond the configuration. */
export interface TelemetryOptions {
  /** The provider of the tracer. @default the one registered with OpenTelemetry */
  readonly tracerProvider?: otel.TracerProvider | undefined;
  /** Include arguments and results in spans. @default false */
  readonly recordContent?: boolean | undefined;
}

export interface TelemetryDeps {
  readonly config: ResolvedConfig;
  readonly wanted: boolean | TelemetryOptions | undefined;
  readonly events: EventBus;
  readonly registry: ToolRegistry;
}

/** Create spans of calls if enabled; OpenTelemetry is loaded only then. */
export function startTelemetry(parts: TelemetryDeps): Recorder[] {
  const { config, wanted } = parts;
  const settings = config.telemetry;
  const isOn = wanted === undefined ? settings.enabled : wanted !== false;
  if (!isOn) return [];
  const options = typeof wanted === "object" ? wanted : {};
  const api = createRequire(import.meta.url)("@opentelemetry/api") as typeof otel;
  const own =
    options.tracerProvider === undefined && settings.otlpEndpoint !== undefined
      ? openExporter(settings.otlpEndpoint, settings)
      : undefined;
  const provider = options.tracerProvider ?? own ?? api.trace.getTracerProvider();
  const writer = createSpanWriter({
    api,
    tracer: provider.getTracer("tenon"),
    tracedName: (written) => tracedName(written, parts),
    recordContent: options.recordContent ?? settings.recordContent,
  });
  const stop = parts.events.onAny(writer.listen);
  // A recorder, because recorders are closed after all calls have ended.
  return [
    {
      name: "telemetry",
      record: () => undefined,
      close: async () => {
        stop();
        writer.close();
        // An unreachable collector must not delay closing or make it fail.
        await withinTime(() => own?.shutdown(), 2500, "telemetry").catch(() => undefined);
      },
    },
  ];
}

function tracedName(written: string, { registry, config }: TelemetryDeps): string | undefined {
  const name = registry.describe(written)?.name ?? written;
  return config.tools.perTool[name]?.monitoring?.enableTracing === false ? undefined : name;
}

/** A separate provider: one that the program registered stays unchanged. */
function openExporter(endpoint: string, settings: ResolvedConfig["telemetry"]): sdk.NodeTracerProvider {
  const { NodeTracerProvider, BatchSpanProcessor } = load("@opentelemetry/sdk-trace-node") as typeof sdk;
  const { OTLPTraceExporter } = load("@opentelemetry/exporter-trace-otlp-http") as typeof exporter;
  const { resourceFromAttributes } = load("@opentelemetry/resources") as {
    resourceFromAttributes: (attributes: otel.Attributes) => NonNullable<sdk.NodeTracerConfig["resource"]>;
  };
  const sink = new OTLPTraceExporter({
    url: tracesUrl(endpoint),
    headers: { ...settings.headers },
    timeoutMillis: 2000,
  });
  return new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": settings.serviceName }),
    spanProcessors: [new BatchSpanProcessor(sink, { scheduledDelayMillis: 1000 })],
  });
}

/** The URL of the collector, or of its traces. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith("/v1/traces")) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

function load(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name) as unknown;
  } catch (cause) {
    throw new ToolDefinitionError(
      `telemetry.otlpEndpoint is set, but the package ${name} is not installed.`,
      {
        hint: "Run: npm install @opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-http",
        cause,
      },
    );
  }
}
