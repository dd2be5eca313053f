import { useEffect, useRef, useState } from "react";
import { isTyping } from "../../ui/is-typing.js";

/** Allow once, for the session or always; refuse; edit the arguments. */
const answerKeys = ["a", "s", "A", "r", "e"] as const;

export type AnswerKey = (typeof answerKeys)[number];

/** A card that has just come to the front takes no key yet: the key was meant for the one before. */
const settlingMs = 400;

/** Listen to the keys of the active card, once it can have been read; returns whether it listens. */
export function useAnswerKeys(active: boolean, act: (key: AnswerKey) => void): boolean {
  const ripe = useRipe(active);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!ripe) return undefined;
    const onKey = (event: KeyboardEvent) => {
      // A key that is held down answers once.
      if (isTyping(event) || event.repeat) return;
      const key = answerKeys.find((each) => each === event.key);
      if (key === undefined) return;
      event.preventDefault();
      latest.current(key);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [ripe]);
  return ripe;
}

function useRipe(active: boolean): boolean {
  const [ripe, setRipe] = useState(false);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setTimeout(() => setRipe(true), settlingMs);
    return () => {
      clearTimeout(timer);
      setRipe(false);
    };
  }, [active]);
  return active && ripe;
}
