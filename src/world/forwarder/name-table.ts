/** The loopback addresses that stand for hosts inside a namespace, and back. */
export interface NameTable {
  /** The address of a host; `undefined` if there are no more. */
  addressFor(host: string): string | undefined;
  hostAt(address: string): string | undefined;
}

/** Addresses from 127.8.1.0 up to 127.8.255.255; 127.8.0.* is for the resolver itself. */
const firstNumber = 256;
const maxNumber = 65_535;

/** Create the table of one session. */
export function createNameTable(): NameTable {
  const addresses = new Map<string, string>();
  const hosts = new Map<string, string>();
  return {
    addressFor(host) {
      const known = addresses.get(host);
      if (known !== undefined) return known;
      const number = firstNumber + addresses.size;
      if (number > maxNumber) return undefined;
      const address = `127.8.${number >> 8}.${number & 255}`;
      addresses.set(host, address);
      hosts.set(address, host);
      return address;
    },
    hostAt: (address) => hosts.get(address),
  };
}
