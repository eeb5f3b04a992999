/**
 * Names and values in turn. There is no Cross-Origin-Opener-Policy among them: with it a popup loses its opener, and
 * applications that opened one believe that the user has closed it.
 */
export const callbackHeaders = ({ policy, overHttps }: { policy: string; overHttps: boolean }): string[] => [
  ...["Content-Type", "text/html; charset=utf-8"],
  ...["Content-Security-Policy", policy],
  ...["Cache-Control", "no-store"],
  ...["Referrer-Policy", "no-referrer"],
  ...["X-Content-Type-Options", "nosniff"],
  ...["X-Frame-Options", "DENY"],
  ...(overHttps ? ["Strict-Transport-Security", "max-age=31536000"] : []),
];
