import * as z from "zod";

/**
 * A name that every shell accepts. Other names are refused: `BASH_FUNC_ls%%` would define a function in later shell
 * calls, and `=` or NUL would inject a second variable.
 */
export const envKey = z
  .string()
  .max(256)
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    "must consist of letters, digits and _, and must not start with a digit",
  );
