/** Libraries that are bundled for `require`. */
export const required: readonly string[];

/** Makes the sources load the bundled libraries. */
export const loadBundledLibraries: {
  transform(code: string, id: string): { readonly code: string; readonly map: null } | undefined;
};
