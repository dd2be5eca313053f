/** What the conformance suite calls, gets and reads, as data: for a server that is not Tenon. */

type Fields = Readonly<Record<string, unknown>>;

export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

const text = (value: unknown): Fields => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value),
});
const image: Fields = { type: "image", data: pixel, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, content: string): Fields => ({
  type: "resource",
  resource: { uri, mimeType, text: content },
});

/** Tools that answer at once. */
export const contents: Readonly<Record<string, Fields>> = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: silence, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    content: [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    content: [text("This tool intentionally returns an error for testing")],
    isError: true,
  },
  json_schema_2020_12_tool: { content: [text("checked")] },
  test_reconnection: { content: [text("Reconnection test completed")] },
};

/** A request to the host. */
export interface Question {
  readonly method: string;
  readonly params: Fields;
}

/** Rounds of questions, by their keys, for the arguments and capabilities of a call. */
type Rounds = (args: Fields, capabilities: Fields) => readonly Readonly<Record<string, Question>>[];

const form = (message: string, properties: Fields, required = Object.keys(properties)): Question => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties, required } },
});
const sampling = (prompt: string): Question => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: text(prompt) }], maxTokens: 100 },
});
const roots: Question = { method: "roots/list", params: {} };
const nameForm = form("What is your name?", { name: { type: "string" } });
const okForm = form("Please confirm", { ok: { type: "boolean" } });
const titled = ["First", "Second", "Third"].map((word, at) => ({
  const: `value${at + 1}`,
  title: `${word} Option`,
}));
const options = ["option1", "option2", "option3"];

/** Tools that ask in the 2025 revisions. */
export const oldQuestions: Readonly<Record<string, Rounds>> = {
  test_sampling: ({ prompt }) => [{ it: sampling(String(prompt)) }],
  test_elicitation: ({ message }) => [
    {
      it: form(String(message), {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      }),
    },
  ],
  test_elicitation_sep1034_defaults: () => [
    {
      it: form(
        "Please check the defaults",
        {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
        [],
      ),
    },
  ],
  test_elicitation_sep1330_enums: () => [
    {
      it: form(
        "Please choose",
        {
          untitledSingle: { type: "string", enum: options },
          titledSingle: { type: "string", oneOf: titled },
          legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
          untitledMulti: { type: "array", items: { type: "string", enum: options } },
          titledMulti: { type: "array", items: { anyOf: titled } },
        },
        [],
      ),
    },
  ],
};

/** Tools that ask in 2026-07-28. */
export const newQuestions: Readonly<Record<string, Rounds>> = {
  test_input_required_result_elicitation: () => [{ user_name: nameForm }],
  test_input_required_result_sampling: () => [
    { capital_question: sampling("What is the capital of France?") },
  ],
  test_input_required_result_list_roots: () => [{ client_roots: roots }],
  test_input_required_result_request_state: () => [{ confirm: okForm }],
  test_input_required_result_tampered_state: () => [{ confirm: okForm }],
  test_input_required_result_multiple_inputs: () => [
    { user_name: nameForm, greeting: sampling("Generate a greeting"), client_roots: roots },
  ],
  test_input_required_result_multi_round: () => [
    { step1: form("Step 1: What is your name?", { name: { type: "string" } }) },
    { step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }) },
  ],
  test_input_required_result_capabilities: (_args, { elicitation, sampling: samples }) => [
    {
      ...(elicitation !== undefined && { elicit_input: nameForm }),
      ...(samples !== undefined && { sample_input: sampling("Generate a greeting") }),
    },
  ],
  test_streaming_elicitation: () => [{ user_name: nameForm }],
};

/** The prompt that asks in 2026-07-28. */
export const promptQuestion = {
  user_context: form("What context should the prompt use?", { context: { type: "string" } }),
};

export const prompts: readonly Fields[] = [
  { name: "test_simple_prompt", description: "A simple prompt." },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with arguments.",
    arguments: ["arg1", "arg2"].map((name) => ({ name, description: `Argument ${name}`, required: true })),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt with a resource.",
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
  },
  { name: "test_prompt_with_image", description: "A prompt with an image." },
];

/** What each prompt says. */
export function promptContent(name: string, args: Fields): readonly Fields[] | undefined {
  if (name === "test_simple_prompt") return [text("This is a simple prompt for testing.")];
  if (name === "test_prompt_with_arguments")
    return [text(`Prompt with arguments: arg1='${String(args["arg1"])}', arg2='${String(args["arg2"])}'`)];
  if (name === "test_prompt_with_embedded_resource")
    return [
      embedded(String(args["resourceUri"]), "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ];
  if (name === "test_prompt_with_image") return [image, text("Please analyze the image above.")];
  return undefined;
}

export const resources: readonly Fields[] = [
  { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "A picture.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched", description: "Changes.", mimeType: "text/plain" },
];

export const resourceTemplates: readonly Fields[] = [
  {
    uriTemplate: "test://template/{id}/data",
    name: "template",
    description: "Data by id.",
    mimeType: "application/json",
  },
];

/** The content of a resource. */
export function resourceContent(uri: string): Fields | undefined {
  if (uri === "test://static-text" || uri === "test://watched-resource")
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: pixel };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: "application/json", text: JSON.stringify(data) };
}

/** The schema that the suite compares word by word. */
export const schema2020: Fields = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};
