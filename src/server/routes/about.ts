import type { Hono } from "hono";
import type { About } from "../api.js";
import type { RouteContext } from "../route-context.js";
import type { ConsoleFiles } from "../static-files.js";

/** What the page shows first. */
export function addAbout(
  api: Hono,
  { tenon, workspace, version, startedAt }: RouteContext,
  files: ConsoleFiles,
): void {
  let looking: Promise<About["sandbox"]> | undefined; // a look builds a sandbox, and the answer does not change
  api.get("/about", async (c) => {
    const { mode, toolset } = tenon.config;
    looking ??= lookAtSandbox(tenon).catch((thrown: unknown) => {
      looking = undefined; // the next one looks again
      throw thrown;
    });
    return c.json({
      version,
      workspace,
      mode,
      toolset,
      startedAt,
      sandbox: await looking,
      consoleScript: await scriptOf(files),
    } satisfies About);
  });
}

/** Whether commands are held, and if not, why. */
async function lookAtSandbox(tenon: RouteContext["tenon"]): Promise<About["sandbox"]> {
  const facts = await tenon.sandboxFacts();
  const fact = facts.find(({ name }) => name === "sandbox");
  if (fact?.status === "ok") return { held: true };
  return { held: false, reason: fact?.message ?? "nothing is known about a sandbox" };
}

/** The script that the console's page loads; its name changes with its content. */
async function scriptOf(files: ConsoleFiles): Promise<string | undefined> {
  const page = (await files.load())?.get("/index.html")?.plain.toString();
  return /<script[^>]* src="[^"]*?([^"/]+\.js)"/.exec(page ?? "")?.[1];
}
