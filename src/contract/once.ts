/** A function that makes a value on its first call and returns the same one afterwards; a failure is not kept. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
