import type { ComponentProps } from "react";
import { Icon } from "./icon.tsx";

/** A choice with the arrow of our own look. It opens the list of the system, which phones draw large. */
export function Select(props: Omit<ComponentProps<"select">, "className">) {
  return (
    <span className="select-wrap">
      <select {...props} className="select" />
      <Icon name="down" />
    </span>
  );
}
