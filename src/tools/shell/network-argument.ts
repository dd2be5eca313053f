import { domainToASCII } from "node:url";
import * as z from "zod";
import type { NetworkUse } from "../../contract/ports/processes.js";
import { presetNames } from "../../contract/preset-names.js";

const maxHosts = 50;

/** A host that may be reached: a name or an address, with an optional port; or a tool whose hosts are meant. */
export const hostArgument = z
  .string()
  .max(300)
  .superRefine((text, issues) => {
    const problem = isPreset(text) ? undefined : problemWith(text);
    if (problem !== undefined) issues.addIssue({ code: "custom", message: problem });
  });

/** The `network` argument: every host, or the named ones. */
export const networkArgument = z
  .union([z.boolean(), z.array(hostArgument).max(maxHosts)])
  .default(false)
  .describe(
    `Hosts that the command may reach, for example ["packages.example.org", "*.example.com:443"]; true for every public host. The names of tools stand for the hosts in their own configuration: ${presetNames.join(", ")}. Name "localhost:PORT" for a server on this machine outside the sandbox. The policy decides.`,
  );

export type NetworkArgument = z.infer<typeof networkArgument>;

/** The hosts that it names itself, as patterns. */
export function hostsOf(network: NetworkArgument): readonly string[] {
  if (typeof network === "boolean") return network ? ["*"] : [];
  return [...new Set(network.filter((text) => !isPreset(text)).map((text) => text.trim().toLowerCase()))];
}

/** The tools whose hosts it may reach. */
export function presetsOf(network: NetworkArgument): readonly string[] {
  return typeof network === "boolean" ? [] : [...new Set(network.filter(isPreset))];
}

function isPreset(text: string): boolean {
  return presetNames.some((name) => name === text);
}

const hostPattern =
  /^(?:(\*)|((?:\*\.)?[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*))|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?$/iu;

function problemWith(text: string): string | undefined {
  const [, any, name, address, port] = hostPattern.exec(text.trim()) ?? [];
  if (any === undefined && name === undefined && address === undefined) {
    return `"${text.slice(0, 80)}" is not a host: write a name or an address with an optional port, without scheme or path`;
  }
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return `${port} is not a port`;
  if (name !== undefined && domainToASCII(name.replace(/^\*\./, "")) === "")
    return `"${name.slice(0, 80)}" is not a valid name of a host`;
  if (port === undefined && name !== undefined && /^(?:localhost|127\.[\d.]+)$/i.test(name)) {
    return `name the port of the server on this machine, for example "${name}:5432"`;
  }
  return undefined;
}

/** What the command reached and was refused, in the result. */
export const networkResult = {
  network: z
    .array(
      z.object({
        host: z.string(),
        port: z.number().optional(),
        address: z.string().optional(),
        verdict: z.enum(["allowed", "refused", "failed"]),
        reason: z.string().optional(),
        bytesSent: z.number(),
        bytesReceived: z.number(),
        connections: z.number(),
      }),
    )
    .optional()
    .describe("The hosts that it reached or was refused."),
};

/** The part of a result about the network; nothing if the network was not used. */
export function networkPart(use: readonly NetworkUse[]): { network?: NetworkUse[] } {
  return use.length === 0 ? {} : { network: [...use] };
}

/** One connection in words, for people who watch. */
export function describeUse({ host, port, address, verdict, reason }: NetworkUse): string {
  const place = port === undefined ? host : `${host}:${port}`;
  const where = address === undefined || address === host ? "" : ` (${address})`;
  return `network: ${verdict} ${place}${where}${reason === undefined ? "" : `: ${reason}`}`;
}
