import { type Contact, REGISTRY_LIMITS, type SchemaVersion } from "@backplane/contract/registry";
import { createChecker } from "../metadata/check.ts";
import { SIGNED_KEY, type SignedIndex } from "../signing/signed-index.ts";

/** A file that repository.json names. Without a time of its own it has the repository's. */
export type RepositoryFile = { url: string; sha256: string; size: number; updateTimestamp?: number | undefined };

export type RepositoryParts = {
  name: string;
  brand: string;
  maintainer?: Contact | undefined;
  schemaUrl?: string | undefined;
  /** Of `packages`. Default: 1, which is not written, because version 1 has no field for it. */
  schemaVersion?: SchemaVersion | undefined;
  packages: RepositoryFile;
  resources?: RepositoryFile | undefined;
  manifests?: RepositoryFile | undefined;
  /** Seconds since 1970; clients download again when it differs. */
  updateTimestamp: number;
  signed?: SignedIndex | undefined;
};

export class RepositoryFault extends Error {
  readonly code: "repository-invalid" | "repository-too-large";

  constructor(code: RepositoryFault["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const check = createChecker(undefined, { version: 2 });

/** repository.json. Throws a RepositoryFault if a client would refuse it. */
export function writeRepository(parts: RepositoryParts): Buffer {
  const { name, brand, maintainer, schemaUrl, schemaVersion = 1 } = parts;
  const { packages, resources, manifests, updateTimestamp, signed } = parts;
  const resource = ({ url, sha256, size, updateTimestamp: own = updateTimestamp }: RepositoryFile) => ({
    ...{ url, sha256, size },
    ...timeOf(own),
  });
  const text = `${JSON.stringify(
    {
      $schema: schemaUrl,
      schema_version: schemaVersion === 1 ? undefined : schemaVersion,
      name,
      maintainer,
      packages: resource(packages),
      resources: resources && resource(resources),
      manifests: manifests && resource(manifests),
      brand,
      [SIGNED_KEY]: signed,
    },
    undefined,
    2,
  )}\n`;
  const checked = check(text, "Repository");
  if ("faults" in checked) {
    const result = checked.faults.map(({ pointer, message }) => `${pointer} ${message}`);
    throw new RepositoryFault("repository-invalid", `repository.json is not valid: ${result.join(", ")}.`);
  }
  const bytes = Buffer.from(text);
  if (bytes.length > REGISTRY_LIMITS.maxRepositoryBytes) {
    throw new RepositoryFault(
      "repository-too-large",
      `repository.json has ${bytes.length} bytes, clients read ${REGISTRY_LIMITS.maxRepositoryBytes}. Shorten the name or the maintainer's contacts.`,
    );
  }
  return bytes;
}

/** The schema allows a readable time only from 2000 to 2999. */
function timeOf(updateTimestamp: number): { update_timestamp: number; update_time_utc?: string } {
  const date = new Date(updateTimestamp * 1_000);
  const year = date.getUTCFullYear();
  if (!(year >= 2_000 && year < 3_000)) return { update_timestamp: updateTimestamp };
  return { update_timestamp: updateTimestamp, update_time_utc: date.toISOString().slice(0, 19).replace("T", " ") };
}
