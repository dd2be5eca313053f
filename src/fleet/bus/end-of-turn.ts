/**
 * Waits until all that came in this turn of the event loop was handled: what several calls send then leaves in one write,
 * where each would make a write of its own.
 */
export function createEndOfTurn(): () => Promise<void> {
  let turn: Promise<void> | undefined;
  return () =>
    (turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    }));
}
