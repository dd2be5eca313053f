import type * as z from "zod";
import { serverSchemas, type McpServerConfig } from "./server-schema.js";

/** A server that can be used, or why it cannot. */
export type ReadServer =
  | { readonly ok: true; readonly server: McpServerConfig }
  | { readonly ok: false; readonly reason: string };

/** Check one server under its name, with a reason that a person can act on. */
export function readServer(name: string, value: unknown): ReadServer {
  const { name: names, started, remote } = serverSchemas();
  if (!names.safeParse(name).success) {
    return {
      ok: false,
      reason: `"${name}" is not a valid server name: use 1 to 64 letters, digits, _ . or -, starting with a letter or digit`,
    };
  }
  if (typeof value !== "object" || value === null) return { ok: false, reason: "it is not an object" };
  const [isProgram, isAddress] = ["command" in value, "url" in value];
  if (isProgram === isAddress) {
    return {
      ok: false,
      reason: `it has ${isProgram ? "both" : "neither"} a command ${isProgram ? "and" : "nor"} a url`,
    };
  }
  const checked = isProgram ? started.safeParse(value) : remote.safeParse(value);
  return checked.success
    ? { ok: true, server: checked.data }
    : { ok: false, reason: reasonOf(checked.error) };
}

function reasonOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");
}
