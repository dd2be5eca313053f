/** The paths of an index file that stand for repositories of their own (mode 160000), as git looks into them. */
export function gitlinksIn(index: Buffer, hashBytes: 20 | 32): string[] {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return [];
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  const links: string[] = [];
  let at = 12;
  let last = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry += 1) {
    const start = at;
    const flagsAt = start + 40 + hashBytes;
    if (flagsAt + 4 > index.length) return links;
    const isExtended = version >= 3 && (index.readUInt16BE(flagsAt) & 0x4000) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let prefix = Buffer.alloc(0);
    if (version === 4) {
      const strip = readVarint(index, nameAt);
      nameAt = strip.next;
      prefix = last.subarray(0, Math.max(0, last.length - strip.value));
    }
    const end = index.indexOf(0, nameAt);
    if (end < 0) return links;
    const isLink = (index.readUInt32BE(start + 24) & 0o170000) === 0o160000;
    if (version === 4 || isLink) {
      last = Buffer.concat([prefix, index.subarray(nameAt, end)]);
      if (isLink) links.push(last.toString("utf8"));
    }
    // Padded with 1 to 8 zero bytes to a multiple of eight; version 4 is not padded.
    at = version === 4 ? end + 1 : start + Math.ceil((end - start + 1) / 8) * 8;
  }
  return links;
}

function readVarint(bytes: Buffer, start: number): { value: number; next: number } {
  let at = start;
  let byte = bytes[at] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes[at] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: at + 1 };
}
