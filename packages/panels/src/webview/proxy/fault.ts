import { AddressRefused, PortRefused } from "../guard/guard.ts";

/** Why a page of a site is not shown. */
export type SiteFaultReason =
  | "address-refused"
  | "port-refused"
  | "name-not-found"
  | "connection-refused"
  | "timed-out"
  | "certificate"
  | "no-secure-connection"
  | "broken-off"
  | "too-large"
  | "request-too-large"
  | "unreadable"
  | "download"
  | "worker"
  | "foreign-request"
  | "method"
  | "busy"
  | "pass"
  | "internal";

export class SiteFault extends Error {
  override name = "SiteFault";
  readonly reason: SiteFaultReason;

  constructor(reason: SiteFaultReason, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

const REASONS: Record<string, SiteFaultReason> = {
  ENOTFOUND: "name-not-found",
  EAI_AGAIN: "name-not-found",
  EAI_FAIL: "name-not-found",
  ENODATA: "name-not-found",
  ECONNREFUSED: "connection-refused",
  EHOSTUNREACH: "connection-refused",
  ENETUNREACH: "connection-refused",
  EHOSTDOWN: "connection-refused",
  EADDRNOTAVAIL: "connection-refused",
  ETIMEDOUT: "timed-out",
  UND_ERR_CONNECT_TIMEOUT: "timed-out",
  UND_ERR_HEADERS_TIMEOUT: "timed-out",
  UND_ERR_BODY_TIMEOUT: "timed-out",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "too-large",
  UND_ERR_HEADERS_OVERFLOW: "unreadable",
  UND_ERR_INVALID_ARG: "unreadable",
  ECONNRESET: "broken-off",
  EPIPE: "broken-off",
  UND_ERR_SOCKET: "broken-off",
  UND_ERR_ABORTED: "broken-off",
  EPROTO: "no-secure-connection",
};

/** Names that OpenSSL and Node give to what is wrong with a certificate; then, with the way to one. */
const CERTIFICATE = /CERT|^ERR_TLS_CERT|^UNABLE_TO_|CRL|^HOSTNAME_MISMATCH$/;
const SECURE = /^ERR_(SSL|TLS)_/;

const secureReason = (code: string): SiteFaultReason | undefined =>
  CERTIFICATE.test(code) ? "certificate" : SECURE.test(code) ? "no-secure-connection" : undefined;

/** What went wrong on the way to a site, as one of the reasons above; undefined: it is no fault of the site's. */
export function siteFaultOf(error: unknown): SiteFault | undefined {
  if (error instanceof SiteFault) return error;
  if (error instanceof PortRefused) return new SiteFault("port-refused", { cause: error });
  if (error instanceof AddressRefused) return new SiteFault("address-refused", { cause: error });
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string") {
    const reason = REASONS[code] ?? secureReason(code);
    if (reason) return new SiteFault(reason, { cause: error });
    if (/^(HPE_|Z_|ERR_BROTLI|ERR_ZSTD|ERR_ENCODING)/.test(code)) return new SiteFault("unreadable", { cause: error });
  }
  return cause === undefined ? undefined : siteFaultOf(cause);
}
