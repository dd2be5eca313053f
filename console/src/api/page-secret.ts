/*
 * What this page sends with every request, since its cookie alone proves nothing. The storage belongs to this address
 * and port alone, and all tabs share it: a reload, a second tab and a bookmark go on with the same session.
 */

const key = "tenon.page-secret";

/** Keep the secret that came with the page of a one-time link or a login, and take that out of the address. */
export function keepPageSecret(window: Window): void {
  const secret = metaOf(window)?.content;
  const returnTo = window.document.querySelector<HTMLMetaElement>('meta[name="tenon-return-to"]')?.content;
  if (secret === undefined) return;
  try {
    window.localStorage.setItem(key, secret);
  } catch {
    // The browser keeps nothing for this page: the page itself has it until it is closed.
  }
  // The browser refuses any other site here.
  window.history.replaceState(null, "", returnTo ?? `./${window.location.hash}`);
}

/** The secret, also one that another tab got by a newer link; `undefined` where nobody is signed in. */
export function readPageSecret(window: Window): string | undefined {
  return stored(window) ?? metaOf(window)?.content;
}

/** The session is over. */
export function forgetPageSecret(window: Window): void {
  metaOf(window)?.remove();
  if (stored(window) !== undefined) window.localStorage.removeItem(key);
}

function stored(window: Window): string | undefined {
  try {
    return window.localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined; // The browser keeps nothing for this page.
  }
}

function metaOf(window: Window): HTMLMetaElement | null {
  return window.document.querySelector<HTMLMetaElement>('meta[name="tenon-page-secret"]');
}
