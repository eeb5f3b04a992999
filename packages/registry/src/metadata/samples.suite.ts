import type { Package, PackageVersion, Repository } from "@backplane/contract/registry";

/** An ordinary hash, not a placeholder. */
export const SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/** Nothing is wrong with these, also by the linter. */
export const soundVersion: PackageVersion = {
  version: "1.2.0",
  status: "stable",
  tool_version: "8.0",
  tool_version_max: "9.99",
  platforms: ["linux"],
  runtime: "ipc",
  keep_on_update: ["/plugins/org_example_router/settings[.]json$"],
};

/** As in packages.json. */
export const listedVersion: PackageVersion = {
  ...soundVersion,
  download_url: "https://packages.example/router.zip",
  download_sha256: SHA,
  download_size: 1_000,
  install_size: 3_000,
};

export const soundPackage: Package = {
  name: "Router",
  description: "Routes boards",
  description_full: "Routes boards by itself. Open it from the menu.",
  identifier: "org.example.router",
  type: "plugin",
  author: { name: "Ada", contact: { web: "https://ada.example" } },
  maintainer: { name: "Bo", contact: { email: "bo@ada.example" } },
  category: "general",
  license: "MIT",
  resources: { homepage: "https://ada.example/router" },
  tags: ["routing"],
  keep_on_update: ["[.]ini$"],
  versions: [soundVersion],
};

export const soundRepository: Repository = {
  name: "Parts",
  packages: {
    url: "https://packages.example/packages.json",
    sha256: SHA,
    update_timestamp: 1_763_197_200,
    update_time_utc: "2025-11-15 09:00:00",
  },
  maintainer: { name: "Bo", contact: { email: "bo@ada.example" } },
};
