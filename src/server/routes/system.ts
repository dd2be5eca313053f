import type { Hono } from "hono";
import { editableConfig } from "../../config/edit-servers.js";
import type { ConfigurationView } from "../api.js";
import { HttpError } from "../http-error.js";
import type { RouteContext } from "../route-context.js";

/** The configuration in force and the checks of the machine. */
export function addSystem(api: Hono, { tenon, machine }: RouteContext): void {
  api.get("/configuration", async (c) => {
    const { sources, warnings } = machine?.configuration() ?? { sources: [{ kind: "code" }], warnings: [] };
    const settings = hideSecrets(tenon.config) as Readonly<Record<string, unknown>>;
    const serversFile = machine === undefined ? undefined : await editableConfig(machine.configFolder);
    return c.json({ sources, warnings, serversFile, settings } satisfies ConfigurationView);
  });
  api.get("/doctor", async (c) => {
    if (machine === undefined) throw startedInCode("The checks are");
    return c.json(await machine.doctor());
  });
}

/** Only a server that `tenon serve` started can do this. */
export function startedInCode(what: string): HttpError {
  return new HttpError(409, {
    code: "STARTED_IN_CODE",
    message: `${what} available where the server was started by "tenon serve".`,
    hint: "This one was started by a program: change its own configuration.",
  });
}

const secretName = /secret|token|password|passwd|authorization|cookie|credential|api.?key/i;
/** Every value below one of these may be a secret. */
const secretParents = new Set(["env", "headers"]);

/** A copy without values that may be secrets; functions are left out. */
export function hideSecrets(value: unknown, parent = ""): unknown {
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item, parent));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const isSecret = typeof member === "string" && (secretName.test(key) || secretParents.has(parent));
      return [key, isSecret ? "[hidden]" : hideSecrets(member, key)];
    }),
  );
}
