import type { Resource } from "../contract/resources.js";
import { viewCommand, type TouchedCommand } from "./command-condition.js";
import { viewHost, type TouchedHost } from "./host-condition.js";
import type { TouchedPath } from "./path-condition.js";
import { viewPath, type PathSpace } from "./path-space.js";
import type { PolicyCall, PolicyCommand } from "./policy-call.js";

/** A path, host or command of a call, or the call itself; the strictest verdict on any of them applies. */
export type Facet =
  | { readonly kind: "call" }
  | PathFacet
  | ({ readonly kind: "host" } & TouchedHost)
  | ({ readonly kind: "command" } & TouchedCommand);

export interface PathFacet extends TouchedPath {
  readonly kind: "path";
  /** It can make the decision stricter, but needs no consent of its own. */
  readonly weak: boolean;
  /** What this is another name of. */
  readonly of?: PathFacet;
}

/** Take a call apart into what is judged. */
export function facetsOf(call: PolicyCall, space: PathSpace): readonly Facet[] {
  const facets: Facet[] = [];
  const shell = isShell(call);
  if (shell)
    for (const command of commandsOf(call)) facets.push({ kind: "command", ...viewCommand(command) });
  const side = { space, shell, namesOf: call.namesOf };
  for (const resource of call.writes) addFacet(facets, resource, { ...side, write: true });
  for (const path of call.changes ?? []) addFacet(facets, { path }, { ...side, write: true, weak: true });
  for (const resource of call.reads) addFacet(facets, resource, { ...side, write: false });
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
  readonly namesOf: PolicyCall["namesOf"];
  /** @default for what a command reads */
  readonly weak?: boolean;
}

function addFacet(facets: Facet[], resource: Resource, side: Side): void {
  if ("host" in resource) facets.push({ kind: "host", ...viewHost(resource.host) });
  const { space, write, shell, namesOf } = side;
  const tree = "tree" in resource;
  // A command locks whole trees to make others wait; that says nothing about the paths it touches.
  const path = "path" in resource ? resource.path : tree && !shell ? resource.tree : undefined;
  if (path === undefined) return;
  // A path that a command reads can make the decision stricter, but needs no consent of its own.
  const weak = side.weak ?? (shell && !write);
  const facet: PathFacet = { kind: "path", view: viewPath(path, space), tree, write, weak };
  facets.push(facet);
  // A walk leaves out what it may not read.
  for (const name of namesOf?.(path, tree && write) ?? [])
    facets.push({ ...facet, view: viewPath(name, space), weak: true, of: facet });
}
