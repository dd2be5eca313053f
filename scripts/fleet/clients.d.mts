/** What a client takes an answer for; `undefined` where it asks again. */
export function answerOf(
  task: { readonly kind: string },
  body: unknown,
  code: string | undefined,
): { readonly success: boolean; readonly callId?: string; readonly code?: string } | undefined;
