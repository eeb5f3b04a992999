import type { RegistryKeys } from "@backplane/contract/registry";

export type {
  CheckedUpload as CheckedPackage,
  CheckNote as PackageNote,
  Contact as PackageContact,
  DetailedVersion as PackageVersionDetails,
  FoundPackage,
  PackageDetails,
  PackageType,
  Platform as PackagePlatform,
  PublishedVersion as PublishedPackage,
  Runtime as PackageRuntime,
  SearchAnswer as FoundPackages,
  Status as PackageStatus,
} from "@backplane/contract/registry";

export type RegistryKey = RegistryKeys["keys"][number];
