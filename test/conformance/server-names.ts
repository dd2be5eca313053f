type Fields = Readonly<Record<string, unknown>>;

/** Whether a tool or prompt with this bare name is that of the server behind Tenon. */
export type IsBehind = (name: string) => boolean;

/**
 * The conformance suite knows tools and prompts by their bare names; those of a server behind Tenon carry its name.
 * What Tenon offers itself under such a name is hidden.
 */
export class ServerNames {
  readonly #prefix: string;
  readonly #isBehind: IsBehind;

  constructor(server: string, isBehind: IsBehind) {
    this.#prefix = `${server}__`;
    this.#isBehind = isBehind;
  }

  /** The name that Tenon knows. */
  full(name: string): string {
    return this.#isBehind(name) ? `${this.#prefix}${name}` : name;
  }

  /** A message of the suite as Tenon takes it. */
  toTenon(message: Fields): Fields {
    const params = message["params"] as Fields | undefined;
    if (isNamed(message["method"]) && typeof params?.["name"] === "string")
      return { ...message, params: { ...params, name: this.full(params["name"]) } };
    const ref = params?.["ref"] as Fields | undefined;
    if (typeof ref?.["name"] !== "string") return message;
    return { ...message, params: { ...params, ref: { ...ref, name: this.full(ref["name"]) } } };
  }

  /** A message of Tenon as the suite takes it. */
  fromTenon(message: Fields): Fields {
    const result = Object(message["result"]) as Fields;
    const key = ["tools", "prompts"].find((one) => Array.isArray(result[one]));
    if (key === undefined) return message;
    const items = (result[key] as { readonly name: string }[]).flatMap((item) => {
      if (item.name.startsWith(this.#prefix))
        return [{ ...item, name: item.name.slice(this.#prefix.length) }];
      return this.#isBehind(item.name) ? [] : [item];
    });
    return { ...message, result: { ...result, [key]: items } };
  }
}

/** Requests whose `name` is that of a tool or prompt. */
export const isNamed = (method: unknown): boolean => method === "tools/call" || method === "prompts/get";

/** A message, where the text is one: the suite also sends what is not. */
export function parseMessage(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}
