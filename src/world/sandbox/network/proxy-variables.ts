/** Defaults for programs that would try for minutes to reach a host that is refused; the session can override them. */
export function retryVariables(hasNetwork: boolean): Record<string, string> {
  if (hasNetwork)
    return { npm_config_fetch_retry_mintimeout: "500", npm_config_fetch_retry_maxtimeout: "2000" };
  return { npm_config_fetch_retries: "0", PIP_RETRIES: "0", CARGO_NET_RETRY: "0" };
}

/**
 * The variables that lead programs to the proxy of the session. Those that ignore them are led there by the resolver.
 * ALL_PROXY is the HTTP proxy as well: some libraries refuse to work if it names SOCKS and they cannot speak that.
 */
export function proxyVariables(port: number): Record<string, string> {
  const http = `http://127.0.0.1:${port}`;
  const socks = `socks5h://127.0.0.1:${port}`;
  // Servers of the session itself are reached directly.
  const direct = "localhost,127.0.0.1,::1";
  const values = {
    HTTP_PROXY: http,
    HTTPS_PROXY: http,
    ALL_PROXY: http,
    SOCKS_PROXY: socks,
    NO_PROXY: direct,
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}
