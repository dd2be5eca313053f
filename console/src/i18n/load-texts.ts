import type { Language } from "../preferences.js";
import { en } from "./en.js";
import type { Texts } from "./use-text.js";

/** The texts of a language; those that are not English are loaded when somebody wants them. */
export async function loadTexts(language: Language): Promise<Texts> {
  return language === "zh" ? (await import("./zh.js")).zh : en;
}
