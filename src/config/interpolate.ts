/** What may be asked for a variable. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The text with its variables filled in, or why that cannot be. */
export type Interpolated =
  | { readonly ok: true; readonly text: string; readonly variables: readonly string[] }
  | { readonly ok: false; readonly message: string };

/**
 * Replace `${NAME}` and `${NAME:-default}`; `$${` is a literal `${`. Values are not expanded again.
 * `${secret:NAME}` stays: stored secrets are filled in when a server is started, for its caller.
 */
export function interpolate(text: string, env: Environment): Interpolated {
  const variables: string[] = [];
  let out = "";
  let from = 0;
  for (let at = text.indexOf("${"); at !== -1; at = text.indexOf("${", from)) {
    if (text[at - 1] === "$" && at > from) {
      out += `${text.slice(from, at - 1)}\${`;
      from = at + 2;
      continue;
    }
    const end = text.indexOf("}", at);
    const inside = text.slice(at + 2, end === -1 ? text.length : end);
    if (end !== -1 && secretPattern.test(inside)) {
      variables.push(inside);
      out += text.slice(from, end + 1);
      from = end + 1;
      continue;
    }
    const reference = referencePattern.exec(inside);
    if (end === -1 || reference === null) return { ok: false, message: malformed };
    const [, name = "", fallback] = reference;
    const value = valueOf(env, name, fallback);
    if (value === undefined) return { ok: false, message: missing(name) };
    variables.push(name);
    out += text.slice(from, at) + value;
    from = end + 1;
  }
  return { ok: true, text: out + text.slice(from), variables };
}

/** Whether a text refers to a variable, or tries to. */
export function hasReference(text: string): boolean {
  const filled = interpolate(text, {});
  return !filled.ok || filled.variables.length > 0;
}

/** A text without references, its escapes undone. */
export function unescapeReferences(text: string): string {
  const filled = interpolate(text, {});
  return filled.ok ? filled.text : text;
}

const referencePattern = /^([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^])*))?$/;

const secretPattern = /^secret:[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const malformed =
  "a reference is written ${NAME} or ${NAME:-default}, without another one inside; $${ stands for ${";

function missing(name: string): string {
  return `the environment variable ${name} is not set; set it, or write \${${name}:-default}`;
}

/** As in a shell, an empty variable takes the default where one is given. */
function valueOf(env: Environment, name: string, fallback: string | undefined): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (fallback !== undefined && (value === undefined || value === "")) return fallback;
  return value;
}
