import * as z from "zod";
import { once } from "../contract/once.js";
import { section, setting } from "./setting.js";
import { nameGlob, text } from "./shared-schemas.js";

/** `secrets`: what may be seen, and the key for those that are stored. */
export const secretsSection = once(() =>
  section("What looks like a secret but may be seen, and the key for stored secrets.", {
    keyFile: setting(
      text(),
      "File with the key that stored secrets are encrypted with, unless TENON_SECRETS_KEY is set. It must be outside the workspace.",
      { defaultText: "secrets.key in the folder of your own configuration" },
    ),
    allowEnv: setting(
      z.array(nameGlob()).max(1000),
      "Environment variables that look like secrets but may be seen by the agent.",
      { default: [] },
    ),
  }),
);
