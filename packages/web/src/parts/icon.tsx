import type { ReactNode } from "react";

const shapes = {
  check: <path d="M3 8.5l3.25 3.25L13 4.5" />,
  copy: (
    <>
      <rect x="5.75" y="5.75" width="8" height="8" rx="1" />
      <path d="M10.25 5.75v-2.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2.5" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M8 7.25v4M8 4.75v.05" />
    </>
  ),
  warning: <path d="M8 2.25L14.5 13.5h-13zM8 6.5v3.25M8 11.6v.05" />,
  // the three themes: half and half, the sun, the moon
  system: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 2.25a5.75 5.75 0 0 1 0 11.5z" fill="currentColor" />
    </>
  ),
  light: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.25v1.5M8 13.25v1.5M1.25 8h1.5M13.25 8h1.5M3.25 3.25l1 1M11.75 11.75l1 1M12.75 3.25l-1 1M4.25 11.75l-1 1" />
    </>
  ),
  dark: <path d="M13.5 9.75A5.75 5.75 0 0 1 6.25 2.5a5.75 5.75 0 1 0 7.25 7.25z" />,
} satisfies Record<string, ReactNode>;

/** A line icon. Decoration beside a word: whoever stands alone carries an aria-label. */
export function Icon({ name }: { name: keyof typeof shapes }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
