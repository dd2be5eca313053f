import type { HostChange, PromptProvider, ResourceProvider } from "../../src/contract/host.js";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** The resources that the conformance suite reads. */
export const fixtureResources: ResourceProvider = {
  list: async () => [
    { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
    { uri: "test://static-binary", name: "static-binary", description: "A picture.", mimeType: "image/png" },
    {
      uri: "test://watched-resource",
      name: "watched-resource",
      description: "Changes.",
      mimeType: "text/plain",
    },
  ],
  templates: async () => [
    {
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Data by id.",
      mimeType: "application/json",
    },
  ],
  async read(uri) {
    if (uri === "test://static-text" || uri === "test://watched-resource") {
      return [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }];
    }
    if (uri === "test://static-binary") return [{ uri, mimeType: "image/png", blob: pixel }];
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) return undefined;
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return [{ uri, mimeType: "application/json", text: JSON.stringify(data) }];
  },
  watch: async () => () => {},
};

const said = (...content: readonly Readonly<Record<string, unknown>>[]) => ({
  messages: content.map((block) => ({ role: "user" as const, content: block })),
});

/** The prompts that the conformance suite gets, and a way to say that they changed. */
export function createFixturePrompts(): PromptProvider & { change(): void } {
  const listeners = new Set<(change: HostChange) => void>();
  return {
    list: async () => [
      { name: "test_simple_prompt", description: "A simple prompt." },
      {
        name: "test_prompt_with_arguments",
        description: "A prompt with arguments.",
        arguments: [
          { name: "arg1", description: "First test argument", required: true },
          { name: "arg2", description: "Second test argument", required: true },
        ],
      },
      {
        name: "test_prompt_with_embedded_resource",
        description: "A prompt with a resource.",
        arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
      },
      { name: "test_prompt_with_image", description: "A prompt with an image." },
      { name: "test_input_required_result_prompt", description: "A prompt that asks." },
    ],
    async get(name, args, { client, signal }) {
      if (name === "test_simple_prompt")
        return said({ type: "text", text: "This is a simple prompt for testing." });
      if (name === "test_prompt_with_arguments") {
        return said({
          type: "text",
          text: `Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'`,
        });
      }
      if (name === "test_prompt_with_embedded_resource") {
        const resource = {
          uri: args["resourceUri"],
          mimeType: "text/plain",
          text: "Embedded resource content for testing.",
        };
        return said(
          { type: "resource", resource },
          { type: "text", text: "Please process the embedded resource above." },
        );
      }
      if (name === "test_prompt_with_image") {
        return said(
          { type: "image", data: pixel, mimeType: "image/png" },
          { type: "text", text: "Please analyze the image above." },
        );
      }
      if (name !== "test_input_required_result_prompt") return undefined;
      const form = {
        message: "What context should the prompt use?",
        requestedSchema: {
          type: "object",
          properties: { context: { type: "string" } },
          required: ["context"],
        },
        _meta: { "tenon/inputKey": "user_context" },
      };
      const answer = await client?.elicit(form, signal);
      return said({ type: "text", text: `Use this context: ${String(answer?.content?.["context"])}` });
    },
    complete: async ({ of, value }) =>
      of === "test_prompt_with_arguments"
        ? ["paris", "park", "party", "test"].filter((one) => one.startsWith(value))
        : undefined,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change: () => listeners.forEach((listener) => listener({ kind: "prompts" })),
  };
}
