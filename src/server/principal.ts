/** The principal of calls over HTTP: every caller holds the server's token or one derived from it. */
export const httpPrincipal = "http:token";
