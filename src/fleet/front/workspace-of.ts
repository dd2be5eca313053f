import type { ResolvedConfig } from "../../config/resolve-config.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { SessionFacts } from "../protocol.js";
import type { Front } from "./front.js";

/** The workspace of a session, as its endpoint says; its priority is noted, and how the workspace is made. */
export function createWorkspaceOf(
  front: Front,
  { endpoints, fleet }: Pick<ResolvedConfig, "endpoints" | "fleet">,
): (session: SessionFacts) => string {
  return (session) => {
    const { endpoint = "" } = session;
    const own = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined;
    if (own?.priority !== undefined) session.priority = own.priority;
    const wanted = own?.workspace;
    if (wanted === undefined) return fleet.workspace;
    const { name, labels, template, git, ref, atEnd } = wanted;
    const workspace = name
      .replaceAll("{user}", toNamePart(session.userId ?? session.principal ?? "nobody"))
      .replaceAll("{session}", toNamePart(session.id));
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(workspace))
      throw new ToolValidationError(`"${workspace}" is not a valid workspace name.`, {
        code: "VALUE_INVALID",
        hint: "Shorten the name in the endpoint's configuration.",
      });
    const given = Object.entries({ template, git, ref, atEnd }).filter(([, value]) => value !== undefined);
    front.want(workspace, { labels, ...(given.length > 0 && { source: Object.fromEntries(given) }) });
    return workspace;
  };
}

/** Two users never share a workspace because their names look alike: what is replaced is told apart by its bytes. */
function toNamePart(text: string): string {
  return text.replace(/[^a-z0-9-]/g, (char) => `_${Buffer.from(char).toString("hex")}_`);
}
