import type { ShareLook } from "./sharing-words.ts";

/** A monitor: empty, filled while it is shared, struck when it cannot be. */
export function ShareIcon({ look }: { look: ShareLook }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      {look === "cannot" ? (
        <path d="M4.5 2.75h8.75a1 1 0 0 1 1 1v6.5a1 1 0 0 1-.3.7M11 11.25H2.75a1 1 0 0 1-1-1v-6.5a1 1 0 0 1 .5-.87M5.5 13.75h5M8 11.25v2.5M1.75 1.25l12.5 13" />
      ) : (
        <>
          <rect x="1.75" y="2.75" width="12.5" height="8.5" rx="1" fill={look === "on" ? "currentColor" : undefined} />
          <path d="M5.5 13.75h5M8 11.25v2.5" />
        </>
      )}
    </svg>
  );
}
