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
  key: (
    <>
      <circle cx="5" cy="11" r="2.75" />
      <path d="M7 9l6-6M10.5 5.5l2 2" />
    </>
  ),
  passkey: (
    <path d="M3 7.5a5 5 0 0 1 10 0M5.25 12.5c-.5-1.5-.5-3-.5-4.5a3.25 3.25 0 0 1 6.5 0c0 2 0 3.5-.5 5M8 8c0 2.5 0 4.25.25 6" />
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M1.75 8h12.5M8 1.75c4 4 4 8.5 0 12.5M8 1.75c-4 4-4 8.5 0 12.5" />
    </>
  ),
  browser: (
    <>
      <rect x="3" y="3" width="10" height="7.25" rx="1" />
      <path d="M1.25 13h13.5" />
    </>
  ),
  // what a program has instead: a plug
  application: <path d="M5.5 1.75v3.5M10.5 1.75v3.5M3.75 5.25h8.5v2.5a4.25 4.25 0 0 1-8.5 0zM8 12v2.5" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M8 4.5V8l2.5 1.5" />
    </>
  ),
  denied: <path d="M5.3 1.75h5.4l3.55 3.55v5.4l-3.55 3.55H5.3l-3.55-3.55V5.3zM5.75 5.75l4.5 4.5M10.25 5.75l-4.5 4.5" />,
  link: (
    <path d="M6.5 9.5l3-3M7 4.5l1.75-1.75a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.75 1.75a3.2 3.2 0 0 1-4.5-4.5L4.5 7" />
  ),
  pencil: <path d="M2.5 13.5l.75-3L10.5 3.25l2.25 2.25L5.5 12.75zM9 4.75L11.25 7" />,
  person: (
    <>
      <circle cx="8" cy="5" r="2.75" />
      <path d="M2.75 14a5.25 5.25 0 0 1 10.5 0" />
    </>
  ),
  people: (
    <>
      <circle cx="6" cy="5.25" r="2.5" />
      <path d="M1.5 13.5a4.5 4.5 0 0 1 9 0M10.5 3a2.4 2.4 0 0 1 0 4.5M12.25 9.75a4.5 4.5 0 0 1 2.25 3.75" />
    </>
  ),
  plus: <path d="M8 3v10M3 8h10" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="M10.25 10.25L14 14" />
    </>
  ),
  // an arrow out of its tray, and into it
  upload: <path d="M8 10.5v-8M4.75 5.5L8 2.25l3.25 3.25M2.25 10.5v3.25h11.5V10.5" />,
  download: <path d="M8 2.25v8M4.75 7.25L8 10.5l3.25-3.25M2.25 10.5v3.25h11.5V10.5" />,
  // the types of packages: a chip, parts in a grid, colour cards
  plugin: (
    <>
      <rect x="4.25" y="4.25" width="7.5" height="7.5" rx=".75" />
      <path d="M6.25 1.75v2.5M9.75 1.75v2.5M6.25 11.75v2.5M9.75 11.75v2.5M1.75 6.25h2.5M1.75 9.75h2.5M11.75 6.25h2.5M11.75 9.75h2.5" />
    </>
  ),
  library: (
    <>
      <circle cx="4" cy="4" r="1.5" />
      <circle cx="12" cy="4" r="1.5" />
      <circle cx="4" cy="12" r="1.5" />
      <circle cx="12" cy="12" r="1.5" />
      <circle cx="8" cy="8" r="1.5" />
    </>
  ),
  colortheme: (
    <>
      <rect x="1.75" y="1.75" width="5" height="12.5" rx="1" />
      <path d="M6.75 5.5l3-3 3.5 3.5-6.5 6.5M6.75 14.25h6.5v-5" />
    </>
  ),
  box: <path d="M8 1.75l5.5 3.1v6.3L8 14.25l-5.5-3.1v-6.3zM2.5 4.85L8 8l5.5-3.15M8 8v6.25" />,
  spinner: <path d="M8 1.75a6.25 6.25 0 1 1-6.25 6.25" />,
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

export type IconName = keyof typeof shapes;

/** A line icon. Decoration beside a word: whoever stands alone carries an aria-label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
