export const nobody = 65534;

/** Run as a user whom permissions bind: root drops to nobody for the time, anyone else is bound already. */
export async function asOrdinaryUser<Value>(step: () => Promise<Value>): Promise<Value> {
  if (process.geteuid?.() !== 0) return step();
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  try {
    return await step();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
