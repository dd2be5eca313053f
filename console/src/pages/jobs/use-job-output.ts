import { useEffect, useState } from "react";
import { get } from "../../api/request.js";
import type { JobOutputView } from "../../api/types.js";

export interface FollowedOutput {
  readonly text: string;
  /** There was more before, which is not kept. */
  readonly isCut: boolean;
  readonly error: Error | null;
}

const everyMs = 500;
/** As much as the server keeps, a few times over. */
const maxChars = 300_000;

/** The output of a job, read piece by piece for as long as it runs and is shown. */
export function useJobOutput(path: string, isRunning: boolean): FollowedOutput {
  const [output, setOutput] = useState<FollowedOutput & { readonly next: number }>(nothing);
  useEffect(() => {
    const stop = new AbortController();
    let next = 0;
    let timer: number | undefined;
    setOutput(nothing);
    const read = async (): Promise<void> => {
      try {
        const part = await get<JobOutputView>(`${path}/output?since=${next}`, stop.signal);
        const isGap = part.from > next;
        next = part.next;
        setOutput((known) => append(known, part, isGap));
      } catch (error) {
        if (stop.signal.aborted) return;
        setOutput((known) => ({ ...known, error: error as Error }));
      }
      if (!stop.signal.aborted && isRunning) timer = window.setTimeout(() => void read(), everyMs);
    };
    void read();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [path, isRunning]);
  return output;
}

const nothing = { text: "", isCut: false, error: null, next: 0 };

function append<T extends FollowedOutput>(known: T, part: JobOutputView, isGap: boolean): T {
  if (part.text === "" && known.error === null) return known;
  const whole = isGap ? part.text : known.text + part.text;
  return {
    ...known,
    text: whole.slice(-maxChars),
    isCut: known.isCut || isGap || whole.length > maxChars,
    error: null,
  };
}
