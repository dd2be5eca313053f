/**
 * On whose behalf calls are made that come in by HTTP. Everybody who is let in holds the server's token, or
 * one that was made of it; `createMcpHttp` makes the same name of how the gate let them in.
 */
export const httpPrincipal = "http:token";
