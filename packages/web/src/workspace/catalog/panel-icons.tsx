import type { MdiIcon } from "@backplane/contract/panels";
import { type ReactNode, useEffect, useState } from "react";
import { call } from "../../calls/call.ts";

const shapes: Record<string, ReactNode> = {
  code: <path d="M5.25 4.5L1.75 8l3.5 3.5M10.75 4.5L14.25 8l-3.5 3.5" />,
  schematic: <path d="M1.5 8h3M4.5 5.5v5M4.5 5.5l5 2.5-5 2.5M9.5 5.5v5M9.5 8h5" />,
  play: <path d="M4.5 2.75v10.5L13 8z" />,
  motor: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M5 10.5V6l3 3 3-3v4.5" />
    </>
  ),
  led: <path d="M5 9.5V6a3 3 0 0 1 6 0v3.5zM3.75 9.5h8.5M6.5 9.5v4.75M9.5 9.5v3" />,
  servo: (
    <>
      <rect x="2.25" y="7" width="11.5" height="6" rx="1" />
      <path d="M5.5 7V4.5h8" />
      <circle cx="5.5" cy="4.5" r="1.5" />
    </>
  ),
  drone: (
    <>
      <circle cx="3.5" cy="3.5" r="1.75" />
      <circle cx="12.5" cy="3.5" r="1.75" />
      <circle cx="3.5" cy="12.5" r="1.75" />
      <circle cx="12.5" cy="12.5" r="1.75" />
      <path d="M4.75 4.75l6.5 6.5M11.25 4.75l-6.5 6.5" />
    </>
  ),
  pulse: <path d="M1.5 8h2l2-5 3.5 10 2.5-7 1 2h2" />,
  light: <path d="M5.75 10.5a4.25 4.25 0 1 1 4.5 0v1.25h-4.5zM6.25 14h3.5" />,
  power: <path d="M8 2v5.5M4.6 4.3a5 5 0 1 0 6.8 0" />,
  gpio: (
    <>
      <circle cx="4" cy="4" r="1.5" />
      <circle cx="12" cy="4" r="1.5" />
      <circle cx="4" cy="12" r="1.5" />
      <circle cx="12" cy="12" r="1.5" />
      <circle cx="8" cy="8" r="1.5" />
    </>
  ),
  cube: <path d="M8 1.75l5.5 3.1v6.3L8 14.25l-5.5-3.1v-6.3zM2.5 4.85L8 8l5.5-3.15M8 8v6.25" />,
  board: (
    <>
      <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1" />
      <rect x="5" y="5.75" width="3.5" height="3.5" />
      <path d="M8.5 7.5h3.25M11.75 10.5H6.75V9.25M4.25 5.25v.05" />
    </>
  ),
  axes: <path d="M7 9V2.5M5.25 4.25L7 2.5l1.75 1.75M7 9h6.5M11.75 7.25L13.5 9l-1.75 1.75M7 9l-4.5 4.5M2.5 11v2.5H5" />,
  range: <path d="M2.75 5.5v5M5.5 6a3 3 0 0 1 0 4M8 4a6 6 0 0 1 0 8M10.5 2.25a8.5 8.5 0 0 1 0 11.5" />,
  line: <path d="M8 14.25c0-3-3.5-3.25-3.5-6.25S8 4.75 8 1.75M2 12h.05M13.5 4h.05M11 9.5h.05" />,
  thermometer: <path d="M6.25 9V3.25a1.75 1.75 0 0 1 3.5 0V9a3 3 0 1 1-3.5 0zM8 6.5v5" />,
  chip: (
    <>
      <rect x="4.25" y="4.25" width="7.5" height="7.5" rx=".75" />
      <path d="M6.25 1.75v2.5M9.75 1.75v2.5M6.25 11.75v2.5M9.75 11.75v2.5M1.75 6.25h2.5M1.75 9.75h2.5M11.75 6.25h2.5M11.75 9.75h2.5" />
    </>
  ),
  chart: <path d="M2.25 2.25v11.5h11.5M5.5 11V8M8.5 11V4.5M11.5 11V6.5" />,
  oven: (
    <>
      <rect x="2.25" y="2.25" width="11.5" height="11.5" rx="1" />
      <path d="M2.25 5.5h11.5M4.75 3.9h.05M7 3.9h.05M5 11h6V8H5z" />
    </>
  ),
  gauge: <path d="M2.75 12.25a6.25 6.25 0 1 1 10.5 0M8 9.5l3-3.75M8 9.5v.05" />,
  radio: (
    <path d="M8 7v7.25M5.25 9.75a3.9 3.9 0 0 1 0-5.5M10.75 4.25a3.9 3.9 0 0 1 0 5.5M3 12a7 7 0 0 1 0-10M13 2a7 7 0 0 1 0 10" />
  ),
  video: <path d="M1.75 4h8.5v8h-8.5zM10.25 7l4-2v6l-4-2" />,
  camera: (
    <>
      <path d="M1.75 4.75h3l1.25-2h4l1.25 2h3v8.5H1.75z" />
      <circle cx="8" cy="8.75" r="2.5" />
    </>
  ),
  log: <path d="M2.5 4h11M2.5 8h7.5M2.5 12h9.5" />,
  battery: (
    <>
      <rect x="1.75" y="5" width="11" height="6" rx="1" />
      <path d="M14.5 7v2M4 7.25v1.5M6.5 7.25v1.5" />
    </>
  ),
  book: (
    <path d="M8 3.75C6.5 2.5 4.5 2.25 1.75 2.25v10.5c2.75 0 4.75.25 6.25 1.5 1.5-1.25 3.5-1.5 6.25-1.5V2.25C11.5 2.25 9.5 2.5 8 3.75zM8 3.75v10.5" />
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M1.75 8h12.5M8 1.75c4 4 4 8.5 0 12.5M8 1.75c-4 4-4 8.5 0 12.5" />
    </>
  ),
  terminal: <path d="M2.25 3.25h11.5v9.5H2.25zM4.75 6.25L6.5 8l-1.75 1.75M8.5 10h3" />,
};

/** For names without a drawing. */
const unknown = <rect x="2.25" y="2.25" width="11.5" height="11.5" rx="1" />;

/** `name`: one of ours, `mdi:…`, or a picture as a data URL. `own`: the icon of the kind, for what cannot be drawn. */
export type IconChoice = { name: string; own?: string | undefined };

/** The icon of a kind of panel, or the one that was chosen for a tab. */
export function PanelIcon({ name, own }: IconChoice) {
  const [broken, setBroken] = useState<string>();
  const mdi = useMdi(name);
  const isPicture = name.startsWith("data:") && name !== broken;
  // In an <img>, a picture can neither run code nor load anything.
  if (isPicture) return <img className="i" src={name} alt="" onError={() => setBroken(name)} />;
  if (mdi !== undefined) {
    return (
      <svg className="i" viewBox="0 0 24 24" aria-hidden="true">
        <path d={mdi} fill="currentColor" stroke="none" />
      </svg>
    );
  }
  const drawn = [name, own ?? ""].find((each) => Object.hasOwn(shapes, each));
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      {drawn === undefined ? unknown : shapes[drawn]}
    </svg>
  );
}

const MDI = "mdi:";

/** The path of a Material Design icon; undefined for other names, for unknown ones, and until it is there. */
function useMdi(name: string): string | undefined {
  const [drawn, setDrawn] = useState<{ name: string; path: string }>();

  useEffect(() => {
    if (!name.startsWith(MDI)) return;
    const request = new AbortController();
    const path = `/api/panels/icons/mdi/${encodeURIComponent(name.slice(MDI.length).toLowerCase())}`;
    void call<MdiIcon>({ method: "GET", path, signal: request.signal }).then((answer) => {
      if (answer.ok && !request.signal.aborted) setDrawn({ name, path: answer.value.path });
    });
    return () => request.abort();
  }, [name]);

  return drawn?.name === name ? drawn.path : undefined;
}
