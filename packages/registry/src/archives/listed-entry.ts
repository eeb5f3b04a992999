/** What the directory says of one entry. */
export type ListedEntry = {
  path: string;
  /** As the archive spells it, which its local header must repeat. */
  name: Buffer;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  madeBy: number;
  attributes: number;
  offset: number;
};
