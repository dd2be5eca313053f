import type { ContentPart } from "../contract/call.js";

/** Base64 characters of one image or sound, about 5 MB. */
const maxMediaChars = 7_000_000;
/** And of all of them. */
const maxTotalMediaChars = 28_000_000;
/** Images, sounds and links of one answer. */
const maxOtherParts = 100;
const maxUriChars = 2000;
const maxTypeChars = 200;

/** The parts without what no model takes: media that are too large are kept and named, and so is what is too much. */
export function withoutBulk(
  parts: readonly ContentPart[],
  keep: (text: string) => string | undefined,
): readonly ContentPart[] {
  if (parts.every((part) => part.type === "text")) return parts;
  let media = 0;
  let others = 0;
  let dropped = 0;
  const light = parts.flatMap((part): ContentPart[] => {
    if (part.type === "text") return [part];
    if (++others > maxOtherParts && !(part.type === "resource" && part.text !== undefined)) {
      dropped++;
      return [];
    }
    if (part.type === "resource") return [withShortFields(part)];
    media += part.data.length;
    const tooLarge = part.data.length > maxMediaChars || media > maxTotalMediaChars;
    if (!tooLarge) return [{ ...part, mimeType: part.mimeType.slice(0, maxTypeChars) }];
    media -= part.data.length;
    return [{ type: "text", text: describeMedia(part, keep(part.data)) }];
  });
  if (dropped > 0) light.push({ type: "text", text: `[${dropped} more parts are not shown]` });
  return light;
}

function withShortFields(part: ContentPart & { type: "resource" }): ContentPart {
  const { uri, mimeType } = part;
  return {
    ...part,
    uri: uri.slice(0, maxUriChars),
    ...(mimeType !== undefined && { mimeType: mimeType.slice(0, maxTypeChars) }),
  };
}

function describeMedia(
  part: { type: string; data: string; mimeType: string },
  handle: string | undefined,
): string {
  const megabytes = ((part.data.length * 3) / 4 / 1e6).toFixed(1);
  const way = handle === undefined ? "" : `; its Base64: read_result {"handle":"${handle}"}`;
  return `[${part.type} (${part.mimeType.slice(0, maxTypeChars)}) of ${megabytes} MB, too large to show${way}]`;
}
