/** Load an optional package; `undefined` if it is not installed or does not work here. */
export async function loadOptional<Module>(name: string): Promise<Module | undefined> {
  try {
    // The name is a variable so that bundlers do not include the package.
    return (await import(name)) as Module;
  } catch {
    return undefined;
  }
}
