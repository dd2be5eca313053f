import * as z from "zod";

/**
 * A name that every shell takes. Nothing wider: names such as `BASH_FUNC_ls%%` would define
 * functions in later shell calls, and `=` or NUL would smuggle in a second variable.
 */
export const envKey = z
  .string()
  .max(256)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be letters, digits and _, not beginning with a digit");
