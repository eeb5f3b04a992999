import type { Overview, ProcessName } from "@backplane/contract/platform";

export type Address = {
  label: string;
  copyLabel: string;
  url: string;
  /** A page to open, not only an address to copy. */
  opens: boolean;
};

type Row = Omit<Address, "url"> & { process: ProcessName; path: string };

const rows: Row[] = [
  {
    label: "Package repository, for your design tool",
    copyLabel: "Copy repository address",
    process: "platform",
    path: "/registry/repository.json",
    opens: false,
  },
  {
    label: "OAuth redirect URI, for the provider",
    copyLabel: "Copy redirect address",
    process: "gateway",
    path: "/callback",
    opens: false,
  },
  {
    label: "Screenshot paste",
    copyLabel: "Copy paste address",
    process: "viewer",
    path: "/screenshot-paste",
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

export function addresses({ processes }: Pick<Overview, "processes">): Address[] {
  return rows.flatMap(({ process, path, ...address }) => {
    const base = processes.find(({ name }) => name === process)?.url;
    return base === undefined ? [] : [{ ...address, url: base.replace(/(?<!\/)\/+$/, "") + path }];
  });
}

/** For display; what is copied keeps its scheme. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, "");
}
