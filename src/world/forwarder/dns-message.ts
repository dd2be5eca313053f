/** The question of a DNS query. */
export interface DnsQuery {
  readonly id: number;
  /** Lower case, without a dot at the end. */
  readonly name: string;
  readonly type: number;
  /** The bytes of the question, to be repeated in the answer. */
  readonly question: Buffer;
  readonly recursionDesired: boolean;
}

export const dnsTypes = { A: 1, AAAA: 28 } as const;
export const dnsCodes = { noError: 0, nameError: 3, refused: 5 } as const;

const headerBytes = 12;
const classInternet = 1;

/** Read a query with one question; `undefined` for anything else. */
export function parseQuery(bytes: Buffer): DnsQuery | undefined {
  if (bytes.length < headerBytes + 5 || bytes.length > 4096) return undefined;
  const flags = bytes.readUInt16BE(2);
  // A response, another operation than a query, or not exactly one question.
  if ((flags & 0xf800) !== 0 || bytes.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = bytes[at] ?? 0; length !== 0; length = bytes[at] ?? 0) {
    if (length > 63 || at + 1 + length >= bytes.length || at > headerBytes + 255) return undefined;
    labels.push(bytes.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  if (end > bytes.length || bytes.readUInt16BE(at + 3) !== classInternet) return undefined;
  // A dot or a control character inside a label would make another name of it.
  if (labels.length === 0 || labels.some((label) => !/^[\w-]+$/.test(label))) return undefined;
  return {
    id: bytes.readUInt16BE(0),
    name: labels.join(".").toLowerCase(),
    type: bytes.readUInt16BE(at + 1),
    question: bytes.subarray(headerBytes, end),
    recursionDesired: (flags & 0x100) !== 0,
  };
}

/** An answer with one IPv4 address, or with a code only. */
export function buildAnswer(query: DnsQuery, code: number, address?: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(query.id, 0);
  // A response, authoritative, recursion available.
  header.writeUInt16BE(0x8480 | (query.recursionDesired ? 0x100 : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  if (address === undefined) return Buffer.concat([header, query.question]);
  header.writeUInt16BE(1, 6);
  const answer = Buffer.alloc(16);
  answer.writeUInt16BE(0xc000 | headerBytes, 0); // the name of the question
  answer.writeUInt16BE(dnsTypes.A, 2);
  answer.writeUInt16BE(classInternet, 4);
  answer.writeUInt32BE(ttlSeconds, 6);
  answer.writeUInt16BE(4, 10);
  address.split(".").forEach((part, index) => answer.writeUInt8(Number(part), 12 + index));
  return Buffer.concat([header, query.question, answer]);
}

/** Short, because the next command may have other grants. */
const ttlSeconds = 5;
