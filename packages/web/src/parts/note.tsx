import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

type Props = {
  tone?: "ok" | "warn" | "danger";
  /** Instead of the icon of its tone. */
  icon?: IconName;
  /** How screen readers announce it: at once, or when idle. */
  role?: "alert" | "status";
  children: ReactNode;
};

const icons = { ok: "check", warn: "warning", danger: "warning" } as const;

/** A message beside what it is about. */
export function Note({ tone, icon, role, children }: Props) {
  return (
    <div className={tone ? `note ${tone}` : "note"} role={role}>
      <Icon name={icon ?? (tone ? icons[tone] : "info")} />
      <div>{children}</div>
    </div>
  );
}

/** Why something failed, announced at once; nothing while it has not. */
export function FaultNote({ children }: { children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <Note tone="danger" role="alert">
      {children}
    </Note>
  );
}
