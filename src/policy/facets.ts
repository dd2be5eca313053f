import type { Resource } from "../contract/resources.js";
import { viewCommand, type TouchedCommand } from "./command-condition.js";
import { viewHost, type TouchedHost } from "./host-condition.js";
import type { TouchedPath } from "./path-condition.js";
import { viewPath, type PathSpace } from "./path-space.js";
import type { PolicyCall, PolicyCommand } from "./policy-call.js";

/** A path, host or command of a call, or the call itself; the strictest verdict on any of them applies. */
export type Facet =
  | { readonly kind: "call" }
  | ({ readonly kind: "path"; readonly weak: boolean } & TouchedPath)
  | ({ readonly kind: "host" } & TouchedHost)
  | ({ readonly kind: "command" } & TouchedCommand);

export type PathFacet = Extract<Facet, { kind: "path" }>;

/** Take a call apart into what is judged. */
export function facetsOf(call: PolicyCall, space: PathSpace): readonly Facet[] {
  const facets: Facet[] = [];
  const shell = isShell(call);
  if (shell)
    for (const command of commandsOf(call)) facets.push({ kind: "command", ...viewCommand(command) });
  for (const resource of call.writes) addFacet(facets, resource, { space, write: true, shell });
  for (const path of call.changes ?? [])
    facets.push({ kind: "path", view: viewPath(path, space), tree: false, write: true, weak: true });
  for (const resource of call.reads) addFacet(facets, resource, { space, write: false, shell });
  return facets.length > 0 ? facets : wholeCall;
}

/** The facet of a call that touches nothing a rule can name. */
export const wholeCall: readonly Facet[] = [{ kind: "call" }];

/** Whether the call runs commands, so that its paths only say what the line may touch. */
export function isShell(call: PolicyCall): boolean {
  return call.category === "shell" || call.commands !== undefined;
}

function commandsOf(call: PolicyCall): readonly PolicyCommand[] {
  if (call.commands !== undefined && call.commands.length > 0) return call.commands;
  // A line that was not parsed could be any command, so every deny rule applies.
  const opaque = call.category === "shell" && call.annotations.dangerous === true;
  return opaque ? [{ words: [], known: false, readOnly: false }] : [];
}

interface Side {
  readonly space: PathSpace;
  readonly write: boolean;
  readonly shell: boolean;
}

function addFacet(facets: Facet[], resource: Resource, { space, write, shell }: Side): void {
  if ("path" in resource) {
    // A path that a command reads can make the decision stricter, but needs no consent of its own.
    facets.push({
      kind: "path",
      view: viewPath(resource.path, space),
      tree: false,
      write,
      weak: shell && !write,
    });
  } else if ("tree" in resource) {
    // A command locks whole trees to make others wait; that says nothing about the paths it touches.
    if (!shell)
      facets.push({ kind: "path", view: viewPath(resource.tree, space), tree: true, write, weak: false });
  } else if ("host" in resource) {
    facets.push({ kind: "host", ...viewHost(resource.host) });
  }
}
