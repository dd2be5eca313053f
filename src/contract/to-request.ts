/**
 * The request behind the arguments of a `call`: the request itself, or a tool or its name with arguments and options.
 * It reads as little as possible: whatever was passed, `receive` checks it.
 */
export function toRequest(target: unknown, input: unknown, options: unknown): unknown {
  if (typeof target === "string")
    return { ...(options as object | undefined), name: target, arguments: input };
  if (!isTool(target)) return target;
  const { name, version } = target;
  return {
    ...(options as object | undefined),
    name: typeof version === "string" ? `${String(name)}@${version}` : name,
    arguments: input,
  };
}

function isTool(target: unknown): target is { readonly name: unknown; readonly version?: unknown } {
  try {
    const members = target as { readonly execute?: unknown; readonly call?: unknown } | null | undefined;
    return typeof members?.execute === "function" || typeof members?.call === "function";
  } catch {
    return false; // a hostile request, which `receive` refuses
  }
}
