/** Libraries that are bundled for `require`. */
export const required: readonly string[];
