import type { ReactNode } from "react";

/** An address on one line: a break in it would be copied with it. */
export function Unbroken({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one is scrolled, also by the keyboard
    <code className="unbroken" tabIndex={0}>
      {children}
    </code>
  );
}
