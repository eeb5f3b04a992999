import type { Overview, ProcessName } from "@backplane/contract/platform";
import { isLoopbackUrl } from "@backplane/kit/loopback";

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

export function addresses({ processes, kicadUrl }: Pick<Overview, "processes" | "kicadUrl">): Address[] {
  const repository = { label: "Package repository, for KiCad", copyLabel: "Copy repository address", opens: false };
  return [
    ...(kicadUrl === undefined ? [] : [{ ...repository, url: kicadUrl }]),
    ...rows.flatMap(({ process, path, ...address }) => {
      const base = processes.find(({ name }) => name === process)?.url;
      return base === undefined ? [] : [{ ...address, url: base.replace(/(?<!\/)\/+$/, "") + path }];
    }),
  ];
}

/** The settings behind the addresses that people use. The watchdog's is of this machine by design. */
const SETTINGS: Partial<Record<ProcessName, string>> = {
  platform: "BASE_URL",
  gateway: "GATEWAY_URL",
  viewer: "VIEWER_URL",
};

/** What is wrong when some addresses work only on this machine and others everywhere; undefined: they go together. */
export function mixedAddresses(processes: Overview["processes"], pageUrl: string): string | undefined {
  const known = processes.flatMap(({ name, url }) => {
    const setting = SETTINGS[name];
    return setting === undefined ? [] : [{ setting, isLocal: isLoopbackUrl(url) }];
  });
  const local = known.filter(({ isLocal }) => isLocal).map(({ setting }) => setting);
  const isReachedFromElsewhere = !isLoopbackUrl(pageUrl);
  if (local.length === 0 || (local.length === known.length && !isReachedFromElsewhere)) return undefined;
  const verb = local.length === 1 ? "is an address" : "are addresses";
  const others = local.length === known.length ? "this page was opened from elsewhere" : "the others are public";
  return `${listed(local)} ${verb} of this machine only, but ${others}. Links to it do not work on other machines: set ${listed(local)}.`;
}

const listed = (names: readonly string[]): string => new Intl.ListFormat("en").format(names);
