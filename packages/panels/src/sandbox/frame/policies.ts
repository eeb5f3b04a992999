import { createHash } from "node:crypto";

/** Enough for a plot, and no way out: no network, no navigation, no forms, no frames with content. */
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
  // Blocks what a Content-Security-Policy cannot, also in nested frames: WebRTC, DNS lookups and preconnects.
  "connection-allowlist",
  "(response-origin)",
];

export const runHeaders = (): string[] => [...SAME, "content-security-policy", RUN];

/** Of the first script or style in a document. */
function hashOf(html: string, tag: "script" | "style"): string {
  const text = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(html)?.[1] ?? "";
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Its only script and style are allowed by their hashes; its only frame may show one address and nothing else. */
export function outerHeaders(html: string, ancestors: readonly string[]): (runAddress: string) => string[] {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, "script")}`,
    `style-src ${hashOf(html, "style")}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors.join(" ")}`,
  ].join("; ");
  return (runAddress) => [...SAME, "content-security-policy", `${policy}; frame-src ${runAddress}`];
}

/**
 * Of a panel of a package: its own files, which are all that its host name has. No network, no frames, no workers; no code
 * from text, except in a panel that runs code of programs.
 */
export function packageHeaders(html: string, origin: string, runsCode: boolean): string[] {
  const policy = [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${hashOf(html, "script")} ${origin} 'wasm-unsafe-eval'${runsCode ? " 'unsafe-eval'" : ""}`,
    `style-src 'unsafe-inline' ${origin}`,
    `img-src data: blob: ${origin}`,
    `media-src data: blob: ${origin}`,
    `font-src data: blob: ${origin}`,
    "connect-src 'none'",
    "worker-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [...SAME, "content-security-policy", policy];
}

/** Modules are fetched with CORS, and the frame that imports this one has an opaque origin. */
export const moduleHeaders = (): string[] => [...SAME, "access-control-allow-origin", "*"];
