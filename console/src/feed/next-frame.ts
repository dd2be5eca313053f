/** Once drawing takes this long, what comes is gathered for as long again before the next drawing. */
const easyMs = 20;
const maxRestMs = 250;

/**
 * How the store waits for its next drawing: a frame; longer on a machine that can hardly draw, so that the page
 * stays answerable; by a timer where no frame comes, since a hidden page gets none but must notify.
 */
export function createNextFrame(window: Window): (run: () => void) => void {
  let rest = 0;
  return (run) => {
    let done = false;
    const draw = () => {
      if (done) return;
      done = true;
      const started = performance.now();
      run();
      // After React, which renders once this task is over.
      window.setTimeout(() => {
        rest = Math.min(maxRestMs, performance.now() - started);
      });
    };
    const frame = () => window.requestAnimationFrame(draw);
    if (rest > easyMs) window.setTimeout(frame, rest);
    else frame();
    window.setTimeout(draw, maxRestMs * 2);
  };
}
