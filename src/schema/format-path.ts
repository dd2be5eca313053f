/** One step into a value: a property's name or an array's index. */
export type Segment = string | number;

/** Write a path as one would in code: `files[2].path`. */
export function formatPath(segments: readonly Segment[]): string {
  let text = "";
  for (const segment of segments) {
    if (typeof segment === "number") text += `[${segment}]`;
    else if (!plainName.test(segment)) text += `[${JSON.stringify(clip(segment))}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return clip(text, 400);
}

const plainName = /^[\p{L}_$@][\p{L}\p{N}_$@-]{0,99}$/u;

/** Cut text to a length, without leaving half a character. */
export function clip(text: string, length = 100): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  const last = cut.charCodeAt(cut.length - 1);
  return `${last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut}…`;
}
