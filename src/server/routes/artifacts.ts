import type { Context, Hono } from "hono";
import * as z from "zod";
import { artifactNames, type ArtifactName, type ArtifactSelector } from "../../contract/ports/artifacts.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { notFound } from "../http-error.js";
import { readParam, readQuery } from "../read-request.js";
import type { RouteContext } from "../route-context.js";

const iteration = z.string().min(1).max(200).optional();
const version = z.coerce.number().int().min(1);
const readingQuery = z.strictObject({ iteration, version: version.optional() });
const diffQuery = z.strictObject({ iteration, from: version, to: version });

/** The documents of the pipeline: what there is, each version, and what changed between two. */
export function addArtifacts(api: Hono, { tenon }: RouteContext): void {
  const nameOf = (c: Context): ArtifactName => {
    const given = readParam(c, "name");
    const name = artifactNames.find((one) => one === given);
    if (name === undefined) throw notFound(`Artifact "${given}"`);
    return name;
  };
  const read = async (selector: ArtifactSelector) => {
    const found = await tenon.work.artifacts.read(selector);
    if (found === undefined) throw notFound("Version of the artifact");
    return found;
  };
  api.get("/artifacts", async (c) => c.json(await tenon.work.artifacts.list()));
  api.get("/artifacts/:name", async (c) => {
    const { iteration: iterationId, version: wanted } = readQuery(c, readingQuery);
    const name = nameOf(c);
    const [artifact, versions] = await Promise.all([
      read({ name, iterationId, version: wanted }),
      tenon.work.artifacts.versions({ name, iterationId }),
    ]);
    return c.json({ ...artifact, all: versions });
  });
  api.get("/artifacts/:name/diff", async (c) => {
    const { iteration: iterationId, from, to } = readQuery(c, diffQuery);
    const name = nameOf(c);
    const [before, after] = await Promise.all([
      read({ name, iterationId, version: from }),
      read({ name, iterationId, version: to }),
    ]);
    return c.json({ diff: unifiedDiff({ path: name, before: before.content, after: after.content }) });
  });
}
