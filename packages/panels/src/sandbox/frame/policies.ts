import { createHash } from "node:crypto";

/** What a plot needs, and no way out: no network, no navigation, no forms, no frames with anything in them. */
const RUN = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:",
  "style-src 'unsafe-inline' blob: data:",
  "img-src data: blob:",
  "media-src data: blob:",
  "font-src data: blob:",
  "connect-src data: blob:",
  "worker-src blob: data:",
  "frame-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const NO_FEATURES = [
  "accelerometer",
  "camera",
  "clipboard-read",
  "clipboard-write",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

const SAME: readonly string[] = [
  "x-content-type-options",
  "nosniff",
  "referrer-policy",
  "no-referrer",
  "x-dns-prefetch-control",
  "off",
  "cross-origin-resource-policy",
  "cross-origin",
  "permissions-policy",
  NO_FEATURES,
  // Closes what no Content-Security-Policy does, in frames within the frame too: WebRTC, lookups and early connections.
  "connection-allowlist",
  "(response-origin)",
];

export const runHeaders = (): string[] => [...SAME, "content-security-policy", RUN];

/** Its one script and style are named by their hashes; the only frame it may hold, and that this may go to, is /run. */
export function outerHeaders(html: string, ancestors: readonly string[]): (origin: string) => string[] {
  const hashOf = (tag: string): string => {
    const text = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(html)?.[1] ?? "";
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf("script")}`,
    `style-src ${hashOf("style")}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors.join(" ")}`,
  ].join("; ");
  return (origin) => [...SAME, "content-security-policy", `${policy}; frame-src ${origin}/run`];
}

/** A module is fetched by the rules of CORS, and the frame that wants it has no origin. */
export const moduleHeaders = (): string[] => [...SAME, "access-control-allow-origin", "*"];
