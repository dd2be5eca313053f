import type { Hono } from "hono";
import * as z from "zod";
import { toMetricsSeries, toMetricsView } from "../metrics-view.js";
import { readQuery } from "../read-request.js";
import type { RouteContext } from "../route-context.js";

/** A month at most. */
const rangeQuery = z.object({ minutes: z.coerce.number().int().min(1).max(43_200).default(60) });

/** The metrics of a range of time, in total and over time. */
export function addMetrics(api: Hono, served: RouteContext): void {
  api.get("/metrics", async (c) => c.json(await toMetricsView(served, readQuery(c, rangeQuery).minutes)));
  api.get("/metrics/series", async (c) =>
    c.json(await toMetricsSeries(served, readQuery(c, rangeQuery).minutes)),
  );
}
