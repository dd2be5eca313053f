/* What the server says about signed-in browsers; part of `api.ts`. */

/** `GET /login-methods`, without authentication: where people can sign in with an OpenID provider. */
export interface LoginMethods {
  /** Where to begin; `?returnTo=` says where to go afterwards. */
  readonly signIn: string;
}

/** `POST /api/sign-out`. */
export interface SignedOut {
  readonly ended: true;
  /** Where the browser signs out at the OpenID provider too. */
  readonly next?: string | undefined;
}

/** `GET /api/sessions`: browsers that are signed in; `DELETE /api/sessions/:id` ends one; `POST /api/sign-out` one's own. */
export interface BrowserSessionView {
  readonly id: string;
  /** Such as "Chrome on Linux". */
  readonly browser: string;
  readonly address: string;
  readonly since: number;
  readonly lastSeen: number;
  /** Who signed in, if it was not by a one-time link. */
  readonly user?: string | undefined;
  /** It is the one that asks. */
  readonly current: boolean;
}

/** `POST /api/links`, for programs with the token: a link that opens the console once. */
export interface EntryLink {
  readonly link: string;
  readonly expiresAt: number;
}
