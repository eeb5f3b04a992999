import { generateKeyPairSync, sign } from "node:crypto";

/** DER: a type, a length, a value. */
function der(type: number, ...parts: Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([type, ...size]), value]);
}

const [SEQUENCE, SET, INTEGER, BITS, OID, TEXT, TIME] = [0x30, 0x31, 0x02, 0x03, 0x06, 0x0c, 0x17] as const;
const ED25519 = der(SEQUENCE, der(OID, Buffer.from([0x2b, 0x65, 0x70])));
const COMMON_NAME = der(OID, Buffer.from([0x55, 0x04, 0x03]));

/** A self-signed certificate, and its key. */
export function selfSigned(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const subject = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(TEXT, Buffer.from(name)))));
  const times = ["200101000000Z", "491231235959Z"].map((time) => der(TIME, Buffer.from(time)));
  const version = der(0xa0, der(INTEGER, Buffer.from([2])));
  const statement = der(
    SEQUENCE,
    ...[version, der(INTEGER, Buffer.from([1])), ED25519, subject, der(SEQUENCE, ...times), subject],
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(BITS, Buffer.from([0]), sign(null, statement, privateKey));
  const cert = der(SEQUENCE, statement, ED25519, signature).toString("base64");
  return {
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
  };
}
