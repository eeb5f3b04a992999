import type { AreaName, Overview, ProcessName } from "@backplane/platform/contract";
import { isBuilt } from "./areas.ts";

export type Address = {
  label: string;
  copyLabel: string;
  /** Absent while the area behind it is not built. */
  url?: string;
  /** A page to open, not only an address to hand on. */
  opens: boolean;
};

type Row = Omit<Address, "url"> & { process: ProcessName; path: string; needs?: AreaName };

const rows: Row[] = [
  {
    label: "Package repository, for your design tool",
    copyLabel: "Copy repository address",
    process: "platform",
    path: "/registry/repository.json",
    needs: "registry",
    opens: false,
  },
  {
    label: "OAuth redirect URI, for the provider",
    copyLabel: "Copy redirect address",
    process: "gateway",
    path: "/callback",
    needs: "gateway",
    opens: false,
  },
  {
    label: "Screenshot paste",
    copyLabel: "Copy paste address",
    process: "viewer",
    path: "/screenshot-paste",
    needs: "viewer",
    opens: true,
  },
  {
    label: "API reference",
    copyLabel: "Copy API reference address",
    process: "platform",
    path: "/docs",
    opens: true,
  },
];

export function addresses({ processes, areas }: Pick<Overview, "processes" | "areas">): Address[] {
  return rows.map(({ process, path, needs, ...address }) => {
    const base = processes.find(({ name }) => name === process)?.url;
    if (base === undefined || (needs !== undefined && !isBuilt(areas, needs))) return address;
    return { ...address, url: base.replace(/\/+$/, "") + path };
  });
}

/** As people write it; what is copied keeps its scheme. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, "");
}
