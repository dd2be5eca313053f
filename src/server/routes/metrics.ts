import type { Hono } from "hono";
import * as z from "zod";
import { toMetricsView } from "../metrics-view.js";
import { readQuery } from "../read-request.js";
import type { RouteContext } from "../route-context.js";

const seriesQuery = z.object({ minutes: z.coerce.number().min(1).max(1440).default(60) });

/** The metrics now and over time. */
export function addMetrics(api: Hono, served: RouteContext): void {
  api.get("/metrics", (c) => c.json(toMetricsView(served)));
  api.get("/metrics/series", (c) => {
    const { minutes } = readQuery(c, seriesQuery);
    return c.json(served.series.since(served.now() - minutes * 60_000));
  });
}
