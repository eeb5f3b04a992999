import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

type Props = {
  tone?: "ok" | "warn" | "danger";
  /** Another than the one of its tone. */
  icon?: IconName;
  /** How it is read out when it comes up: at once, or when there is time. */
  role?: "alert" | "status";
  children: ReactNode;
};

const icons = { ok: "check", warn: "warning", danger: "warning" } as const;

/** A message that stays with what it is about. */
export function Note({ tone, icon, role, children }: Props) {
  return (
    <div className={tone ? `note ${tone}` : "note"} role={role}>
      <Icon name={icon ?? (tone ? icons[tone] : "info")} />
      <div>{children}</div>
    </div>
  );
}
