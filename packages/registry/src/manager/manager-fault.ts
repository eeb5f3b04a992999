/** How a command ends, by the kind of what went wrong. 1 is left for faults that nobody expected. */
export const MANAGER_EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  /** A rule stands against it: it does not fit, is pinned, or comes from elsewhere. An option of the call overrides it. */
  refused: 4,
  /** What was received is not what was promised. Nothing overrides this. */
  notVerified: 5,
  unreachable: 6,
  busy: 7,
  /** Files of the installation are missing or altered. */
  damaged: 8,
} as const;
type ExitName = keyof typeof MANAGER_EXIT;

/** Everything that can go wrong, by its stable word. */
const FAULTS = {
  "bad-spec": "usage",
  "bad-url": "usage",
  "bad-file": "usage",
  "bad-version": "usage",
  "bad-brand": "usage",
  "repository-exists": "usage",
  "no-repositories": "notFound",
  "repository-unknown": "notFound",
  "package-unknown": "notFound",
  "version-unknown": "notFound",
  "not-installed": "notFound",
  "not-compatible": "refused",
  pinned: "refused",
  "other-repository": "refused",
  "repository-skipped": "refused",
  "no-sha256": "refused",
  "no-download-url": "notVerified",
  "wrong-sha256": "notVerified",
  "wrong-size": "notVerified",
  "archive-refused": "notVerified",
  "wrong-package": "notVerified",
  "repository-invalid": "notVerified",
  "packages-invalid": "notVerified",
  "package-invalid": "notVerified",
  "packages-sha256": "notVerified",
  "index-refused": "notVerified",
  "too-large": "notVerified",
  "bad-redirect": "notVerified",
  "file-from-network": "notVerified",
  "local-from-network": "notVerified",
  "lock-invalid": "notVerified",
  "bundle-invalid": "notVerified",
  "http-status": "unreachable",
  unreachable: "unreachable",
  offline: "unreachable",
  aborted: "unreachable",
  busy: "busy",
  "not-applied": "unexpected",
} as const satisfies Record<string, ExitName>;
export type ManagerFaultCode = keyof typeof FAULTS;

/** What happened and the next step, with a stable code; `details` for programs. */
export class ManagerFault extends Error {
  readonly code: ManagerFaultCode;
  readonly exitCode: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ManagerFaultCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "ManagerFault";
    this.code = code;
    this.exitCode = MANAGER_EXIT[FAULTS[code]];
    this.details = details;
  }

  toJSON(): Record<string, unknown> {
    const { code, message, exitCode, details } = this;
    return { code, message, exit_code: exitCode, ...details };
  }
}
