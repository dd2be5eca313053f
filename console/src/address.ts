import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { PageName } from "./pages.js";
import { hrefOf, navigate, parseRoute, useRoute } from "./route.js";

/** A value that stands in the address, and how it is written there; its preset is left out. */
export interface Param<T> {
  readonly preset: T;
  /** `undefined` where the text is not a value of this kind. */
  readonly read: (text: string) => T | undefined;
}

/** Any text. */
export function text(preset = ""): Param<string> {
  return { preset, read: (given) => given };
}

/** One of some words. */
export function choice<T extends string>(values: readonly T[], preset: NoInfer<T>): Param<T> {
  return { preset, read: (given) => values.find((value) => value === given) };
}

/** Yes or no. */
export function flag(preset = false): Param<boolean> {
  return { preset, read: (given) => (given === "true" ? true : given === "false" ? false : undefined) };
}

type Params = Readonly<Record<string, Param<string> | Param<boolean>>>;
type ValuesOf<P extends Params> = {
  readonly [K in keyof P]: P[K]["preset"] extends boolean ? boolean : P[K]["preset"];
};

interface Address<V> {
  readonly values: V;
  /** Change some of them; `replace` makes no new entry in the history. */
  readonly set: (change: Partial<V>, options?: { readonly replace?: boolean }) => void;
  /** The address of something on this page, with the filters as they are. */
  readonly href: (id: string | undefined) => string;
  readonly choose: (id: string | undefined, options?: { readonly replace?: boolean }) => void;
}

/** What a page keeps in its address. @param params Declared once, outside the component. */
export function useAddress<P extends Params>(page: PageName, params: P): Address<ValuesOf<P>> {
  const { query } = useRoute();
  const values = useMemo(() => readParams(params, query), [params, query]);
  const set = useCallback(
    (change: Partial<ValuesOf<P>>, options?: { readonly replace?: boolean }) => {
      const now = parseRoute(window.location.hash);
      const next = { ...readParams(params, now.query), ...change };
      navigate(hrefOf(page, now.id, writeParams(params, next)), options);
    },
    [page, params],
  );
  const href = useCallback(
    (id: string | undefined) => hrefOf(page, id, writeParams(params, values)),
    [page, params, values],
  );
  const choose = useCallback(
    (id: string | undefined, options?: { readonly replace?: boolean }) => {
      const now = readParams(params, parseRoute(window.location.hash).query);
      navigate(hrefOf(page, id, writeParams(params, now)), options);
    },
    [page, params],
  );
  return { values, set, href, choose };
}

/** A text that counts once the typing stops; a change from elsewhere, such as the back button, is taken over. */
export function useTyped(
  value: string,
  onSettled: (value: string) => void,
  waitMs = 200,
): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const latest = useRef(onSettled);
  latest.current = onSettled;
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === known) return undefined;
    const timer = setTimeout(() => {
      setKnown(typed);
      latest.current(typed);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [typed, known, waitMs]);
  return [typed, setTyped];
}

function readParams<P extends Params>(params: P, query: string): ValuesOf<P> {
  const given = new URLSearchParams(query);
  const read = ([key, param]: readonly [string, Param<string> | Param<boolean>]) => {
    const written = given.get(key);
    return [key, (written === null ? undefined : param.read(written)) ?? param.preset];
  };
  return Object.fromEntries(Object.entries(params).map(read)) as ValuesOf<P>;
}

function writeParams<P extends Params>(params: P, values: ValuesOf<P>): Record<string, string | undefined> {
  const write = ([key, { preset }]: readonly [string, Param<string> | Param<boolean>]) => {
    const value = values[key];
    return [key, value === preset ? undefined : String(value)];
  };
  return Object.fromEntries(Object.entries(params).map(write)) as Record<string, string | undefined>;
}
