import { createRequire } from "node:module";
import type * as Tokenx from "tokenx";
import { once } from "../contract/once.js";

/** Loaded on first use: programs that work with results never need it. */
const tokenx = once(() => createRequire(import.meta.url)("tokenx") as typeof Tokenx);

/** The highest number of tokens that one character counts as: a sign between two others counts as two. */
export const maxTokensPerChar = 2;

/** How many tokens a text is to a model, about. */
export function estimateTokens(text: string): number {
  return tokenx().estimateTokenCount(text);
}

/** How many tokens so many bytes of JSON are to a model, about. */
export function tokensInBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Whether a text is at most so many tokens; short ones are not counted one by one. */
export function fitsTokens(text: string, budget: number): boolean {
  return text.length * maxTokensPerChar <= budget || estimateTokens(text) <= budget;
}
