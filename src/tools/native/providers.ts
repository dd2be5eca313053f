/** The providers whose models were trained on tools of their own. */
export const nativeProviders = ["anthropic", "openai"] as const;

export type NativeProvider = (typeof nativeProviders)[number];
