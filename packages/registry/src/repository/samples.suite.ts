import type { Package, PackageVersion } from "@backplane/contract/registry";
import { sampleMetadata } from "../archives/samples.suite.ts";

export const SHA256 = "ab".repeat(32);

export const sampleVersion = (version: string, more: Partial<PackageVersion> = {}): PackageVersion => ({
  version,
  status: "stable",
  tool_version: "8.0",
  download_url: `https://example.org/${version}.zip`,
  download_sha256: SHA256,
  download_size: 10,
  install_size: 20,
  ...more,
});

export const samplePackage = (identifier: string, versions: PackageVersion[], more: object = {}): Package =>
  ({ ...sampleMetadata({ identifier }), versions, ...more }) as Package;
