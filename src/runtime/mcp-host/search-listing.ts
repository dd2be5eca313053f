import type { HostTool } from "../../contract/host.js";

/** The tools that are listed instead of a large catalogue. */
const finders: ReadonlySet<string> = new Set(["tool_search", "describe_tool"]);

const callTool: HostTool = {
  name: "call_tool",
  title: "Call a tool",
  description:
    "Call a tool that tool_search found, with the arguments that describe_tool shows. The called tool's own checks apply.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "Name of the tool." },
      arguments: { type: "object", description: "Arguments of the tool." },
    },
    required: ["name"],
    additionalProperties: false,
  },
  annotations: { title: "Call a tool", readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

/** Only the tools that find the others, and the one that calls them. */
export function searchListing(tools: readonly HostTool[]): readonly HostTool[] {
  return [...tools.filter(({ name }) => finders.has(name)), callTool];
}

/** The actual call: `call_tool` is judged and recorded as the tool that it names. */
export function meantCall(name: string, args: unknown): { readonly name: string; readonly args: unknown } {
  if (name !== callTool.name) return { name, args };
  const { name: meant, arguments: given } = Object(args) as Record<string, unknown>;
  return { name: typeof meant === "string" ? meant : name, args: given };
}
