import { attempt } from "../../contract/errno.js";
import { ToolPermissionError } from "../../contract/errors.js";
import { isRecord } from "../../contract/is-record.js";
import type { HttpRequest } from "../../contract/ports/http.js";

/** The values that MCP servers were given: they are hidden in what servers answer, and do not leave in requests of tools. */
export class HandedOutSecrets {
  readonly #names = new Map<string, string>();

  add(name: string, value: string): void {
    const bytes = Buffer.from(value);
    const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
    for (const form of [...forms, bytes.toString("base64"), bytes.toString("base64url")])
      this.#names.set(form, name);
  }

  /** A copy of the value without secrets; the value itself where there are none. */
  hide<T>(value: T): T {
    return (this.#names.size === 0 ? value : this.#hide(value)) as T;
  }

  /** Throws where a request contains one. */
  refuseIn({ url, headers = {}, body }: HttpRequest, toolName: string): void {
    if (this.#names.size === 0) return;
    const text = typeof body === "string" ? body : Buffer.from(body ?? []).toString("latin1");
    const decoded = attempt(() => decodeURIComponent(url)) ?? url;
    const sent = [url, decoded, ...Object.values(headers), ...Object.values(headers).map(basic), text];
    for (const [form, name] of this.#names)
      if (sent.some((part) => part.includes(form))) throw leaving(name, toolName);
  }

  #hide(value: unknown): unknown {
    if (typeof value === "string") {
      let clean = value;
      for (const form of this.#names.keys())
        if (clean.includes(form)) clean = clean.replaceAll(form, "[redacted]");
      return clean;
    }
    if (Array.isArray(value)) return value.map((item) => this.#hide(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.#hide(key), this.#hide(item)]),
    );
  }
}

/** What stands encoded in `Authorization: Basic …`. */
function basic(header: string): string {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(header)?.[1];
  return encoded === undefined ? "" : Buffer.from(encoded, "base64").toString();
}

function leaving(name: string, toolName: string): Error {
  return new ToolPermissionError(`The request contains the stored secret "${name}".`, {
    code: "SECRET_REFUSED",
    toolName,
    hint: "Stored secrets are for MCP servers only. Leave it out.",
  });
}
