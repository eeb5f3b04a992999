/** The key of repository.json under which the signed index stands. Clients that do not know it pass over it. */
export const SIGNED_KEY = "signed_index";

/** A file of the repository, as it must be. */
export type SignedFile = { sha256: string; size: number };

/** What is signed: the whole state of a repository at one moment. */
export type IndexStatement = {
  format: "backplane-index-1";
  /** The repository this is about: its name and the tool's brand. */
  name: string;
  brand: string;
  /** Grows with every change; a client never goes back. */
  counter: number;
  /** Seconds since 1970. After `expires` a client no longer believes it: somebody may be holding back newer ones. */
  issued: number;
  expires: number;
  packages: SignedFile;
  resources?: SignedFile;
  manifests?: SignedFile;
  /** Every key that may sign what comes next, this one among them or not: how keys rotate. */
  keys: PublicKey[];
};

/** Raw Ed25519, base64url. The id is the first 16 hex digits of the key's sha256. */
export type PublicKey = { id: string; key: string };

/** As it stands in repository.json: the exact bytes that were signed (base64url of JSON), and who signed them. */
export type SignedIndex = { statement: string; signatures: { key_id: string; signature: string }[] };

/** Private part as PKCS#8, base64url. */
export type SigningKey = PublicKey & { privateKey: string };

/** What a client remembers of a repository between visits; name and brand, as one key may sign several repositories. */
export type TrustedIndex = {
  name: string;
  brand: string;
  keys: PublicKey[];
  counter: number;
  statementSha256: string;
};

export const SIGNING_LIMITS = {
  lifeS: 7 * 24 * 3_600,
  /** What a client believes at most: with a longer life nobody would notice that newer ones are held back. */
  maxLifeS: 400 * 24 * 3_600,
  /** A statement is signed anew when this much of its life is over, also when nothing changed. */
  renewAfterS: 24 * 3_600,
  /** Clocks differ. */
  toleranceS: 300,
  maxKeys: 8,
  maxStatementBytes: 8_192,
} as const;
