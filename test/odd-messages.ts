import * as fc from "fast-check";
import type { Fields } from "./recording-host.js";

/** One request of a host, what the server does and says meanwhile, and what the host answers. */
export interface OddCase {
  readonly request: { readonly method: string; readonly params: Fields };
  /** For the server: the questions it asks, what it tells, and how it answers. */
  readonly plan: Fields;
  readonly answers: Fields;
}

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("", " ", "é\u0000😀"));
const json = fc.oneof(
  fc.constantFrom(null, true, 0, -1.5, 1e21, "", "é😀"),
  fc.constantFrom([], {}, [null, [1]], { a: { b: [] } }),
);
const bytes = fc.uint8Array({ maxLength: 6 }).map((data) => Buffer.from(data).toString("base64"));
const metaObject = fc.dictionary(fc.constantFrom("a", "org.example/b", "com.example.c/d"), json, {
  maxKeys: 2,
});
/** Fields that no revision knows, and those that may be everywhere. */
const others = fc.record({ _meta: metaObject, later: json, "org.example/x": json }, { requiredKeys: [] });
const annotations = fc.record(
  { audience: fc.constantFrom(["user"], []), priority: fc.constantFrom(0, 1, 0.5), later: json },
  { requiredKeys: [] },
);

type Shape = Record<string, fc.Arbitrary<unknown>>;

/** An object with these fields, and some that nobody knows. */
function odd(required: Shape, optional: Shape = {}): fc.Arbitrary<Fields> {
  const known = fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) });
  return fc.tuple(others, known).map(([more, fields]) => ({ ...more, ...fields }));
}

const maybe = { annotations };
const resourceContent = fc.oneof(
  odd({ uri: fc.constant("chat:x"), text }, { mimeType: text }),
  odd({ uri: fc.constant("chat:x"), blob: bytes }, { mimeType: text }),
);
const block = fc.oneof(
  odd({ type: fc.constant("text"), text }, maybe),
  odd({ type: fc.constant("image"), data: bytes }, { ...maybe, mimeType: text }),
  odd({ type: fc.constant("audio"), data: bytes }, { ...maybe, mimeType: text }),
  odd({ type: fc.constant("resource"), resource: resourceContent }, maybe),
  odd(
    { type: fc.constant("resource_link"), uri: fc.constant("chat:l"), name: text },
    { ...maybe, title: text, description: text, mimeType: text, size: fc.nat(), icons: fc.constant([]) },
  ),
);
const few = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { maxLength: 3 });

const anyError = fc.record(
  { code: fc.constantFrom(-32602, -32000, 1, -1), message: text, data: json },
  { requiredKeys: ["code", "message"] },
);

const elicitation = odd(
  { message: text, requestedSchema: odd({ type: fc.constant("object"), properties: fc.constant({}) }) },
  { mode: fc.constant("form") },
);
const sampling = odd(
  { messages: few(odd({ role: fc.constant("user"), content: block })), maxTokens: fc.nat() },
  { systemPrompt: text, temperature: fc.constantFrom(0, 1), metadata: metaObject, stopSequences: few(text) },
);
const questions = fc.record(
  {
    form: elicitation.map((params) => ({ method: "elicitation/create", params })),
    model: sampling.map((params) => ({ method: "sampling/createMessage", params })),
    roots: fc.option(others, { nil: undefined }).map((params) => ({ method: "roots/list", params })),
  },
  { requiredKeys: [] },
);
const answers = fc.record({
  "elicitation/create": fc.oneof(
    odd({ action: fc.constantFrom("decline", "cancel") }),
    odd({ action: fc.constant("accept"), content: fc.dictionary(fc.constantFrom("a", "b"), text) }),
  ),
  "sampling/createMessage": odd(
    { role: fc.constant("assistant"), model: text, content: block },
    { stopReason: text },
  ),
  "roots/list": odd({ roots: few(odd({ uri: fc.constant("file:///x") }, { name: text })) }),
});

const report = odd({}, { total: fc.nat(), message: text });
const logged = odd({ level: fc.constantFrom("info", "error", "emergency"), data: json }, { logger: text });
const notices = few(fc.oneof(fc.record({ report }), fc.record({ logged }))).map((list) =>
  list.map((one, at) =>
    "report" in one
      ? { method: "notifications/progress", params: { ...one.report, progress: at + 0.5 } }
      : { method: "notifications/message", params: one.logged },
  ),
);

const texts = fc.dictionary(fc.constantFrom("a", "b"), text, { maxKeys: 2 });

interface Kind {
  readonly method: string;
  readonly params: fc.Arbitrary<Fields>;
  readonly result: (modern: boolean) => fc.Arbitrary<Fields>;
  /** The protocol lets the server ask meanwhile. */
  readonly asks: boolean;
}

const kinds: readonly Kind[] = [
  {
    method: "tools/call",
    asks: true,
    params: odd({ name: fc.constant("acts") }, { arguments: fc.dictionary(text, json, { maxKeys: 3 }) }),
    result: (modern) =>
      odd(
        { content: few(block) },
        {
          structuredContent: modern
            ? json.filter((value) => value !== null)
            : fc.dictionary(text, json, { maxKeys: 2 }),
          isError: fc.boolean(),
        },
      ),
  },
  {
    method: "prompts/get",
    asks: true,
    params: odd({ name: fc.constant("acts") }, { arguments: texts }),
    result: () =>
      odd(
        { messages: few(odd({ role: fc.constantFrom("user", "assistant"), content: block })) },
        { description: text },
      ),
  },
  {
    method: "resources/read",
    asks: true,
    params: odd({ uri: fc.constantFrom("chat:one", "chat:é/%20?x#y") }),
    result: () => odd({ contents: few(resourceContent) }),
  },
  {
    method: "completion/complete",
    asks: false,
    params: odd(
      {
        ref: fc.oneof(
          odd({ type: fc.constant("ref/prompt"), name: fc.constant("acts") }, { title: text }),
          odd({ type: fc.constant("ref/resource"), uri: fc.constant("chat:{id}") }),
        ),
        argument: odd({ name: text, value: text }),
      },
      { context: odd({}, { arguments: texts }) },
    ),
    result: () => odd({ completion: odd({ values: few(text) }, { total: fc.nat(), hasMore: fc.boolean() }) }),
  },
];

/** Messages that are legal, though nobody sends them. */
export function oddCase(modern: boolean): fc.Arbitrary<OddCase> {
  return fc.oneof(
    ...kinds.map(({ method, params, result, asks }) =>
      fc
        .record({
          params,
          answers,
          notices,
          token: fc.option(fc.constantFrom("p", 0), { nil: undefined }),
          questions: asks ? fc.option(questions, { nil: undefined }) : fc.constant(undefined),
          answer: fc.oneof(
            { weight: 4, arbitrary: result(modern).map((value) => ({ result: value })) },
            { weight: 1, arbitrary: anyError.map((error) => ({ error })) },
          ),
        })
        .map(({ params: given, token, answer, answers: host, notices: told, questions: asked }) => ({
          request: {
            method,
            params:
              token === undefined
                ? given
                : { ...given, _meta: { ...Object(given["_meta"]), progressToken: token } },
          },
          plan: {
            notices: told,
            ...answer,
            ...(asked !== undefined && Object.keys(asked).length > 0 && { questions: asked }),
          },
          answers: host,
        })),
    ),
  );
}
