import * as z from "zod";
import { faultOfName } from "../glob/name-glob.js";
import { once } from "../contract/once.js";
import { maxTextChars } from "./levels.js";

/** Node.js fires longer timers immediately, so no limit may exceed this. */
const maxTimer = 2 ** 31 - 1;

/** A text that is not empty and short enough for messages. */
export const text = once(() => z.string().min(1).max(maxTextChars));

/** A glob; bounded, because very long patterns are slow to compile. */
export const glob = once(() => z.string().min(1).max(512));

/** A glob of names, such as tools or variables. */
export const nameGlob = once(() =>
  glob().superRefine((pattern, context) => {
    const fault = faultOfName(pattern.replace(/^!/, ""));
    if (fault !== undefined) context.addIssue({ code: "custom", message: `not a valid pattern: ${fault}` });
  }),
);

/** One glob or several. */
export const globs = once(() => z.union([glob(), z.array(glob()).min(1).max(1000)]));

/** A list of paths. `!` is refused: it would let an addition to a list of forbidden paths loosen it. */
export const paths = once(() =>
  z
    .array(
      text().regex(/^(?!!)/, 'a path must not start with "!"; write "./!name" for a file of such a name'),
    )
    .max(10_000),
);

/** An address on the web. */
export const webAddress = once(() =>
  z
    .string()
    .max(4096)
    .regex(/^https?:\/\/\S+$/i, "expected an http:// or https:// address"),
);

/** A time limit in milliseconds. */
export const milliseconds = once(() => z.number().int().min(1).max(maxTimer));

/** A number of bytes. */
export const bytes = once(() => z.number().int().min(1).max(Number.MAX_SAFE_INTEGER));

/** A number of things, at least one. */
export const atLeastOne = once(() => z.number().int().min(1).max(1_000_000));

/** A number of things, or none. */
export const count = once(() => z.number().int().min(0).max(1_000_000));
