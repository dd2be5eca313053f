/** What a thrown thing says, in words, whatever it is. */
export function messageOf(thrown: unknown): string {
  try {
    const { message } = Object(thrown) as { readonly message?: unknown };
    return typeof message === "string" && message !== "" ? message : String(thrown);
  } catch {
    return "something that cannot be shown"; // a getter or a toString that throws
  }
}
