/** Load a package that may not be installed; `undefined` where it is not, or does not work here. */
export async function loadOptional<Module>(name: string): Promise<Module | undefined> {
  try {
    // Named by a variable so that no bundler takes it along.
    return (await import(name)) as Module;
  } catch {
    return undefined;
  }
}
