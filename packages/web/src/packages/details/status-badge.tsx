import type { Status } from "@backplane/contract/registry";

const tones: Record<Status, string> = {
  stable: "badge ok",
  testing: "badge warn",
  development: "badge warn",
  deprecated: "badge",
};

export const StatusBadge = ({ status }: { status: Status }) => <span className={tones[status]}>{status}</span>;
