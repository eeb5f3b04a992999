import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

type Props = { tone?: "danger"; children: ReactNode };

/** A message that stays with what it is about. */
export function Note({ tone, children }: Props) {
  return (
    <div className={tone ? `note ${tone}` : "note"}>
      <Icon name={tone ? "warning" : "info"} />
      <div>{children}</div>
    </div>
  );
}
