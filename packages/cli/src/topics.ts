/** What `backplane help` prints besides the help of commands. */
export const TOPICS: readonly { name: string; file: string; section?: string }[] = [
  { name: "packages", file: "docs/guides/packages.md" },
  { name: "panels", file: "docs/guides/panels.md" },
  { name: "devices", file: "docs/guides/devices.md" },
  { name: "screenshots", file: "docs/guides/viewer.md" },
  { name: "sign-in", file: "docs/guides/sign-in.md" },
  { name: "oauth", file: "docs/guides/connect.md" },
  { name: "callbacks", file: "docs/guides/gateway.md" },
  { name: "restarts", file: "docs/guides/watchdog.md" },
  { name: "backups", file: "docs/guides/backup.md" },
  { name: "settings", file: "README.md", section: "Settings" },
];
