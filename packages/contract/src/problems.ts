/** How a command ends. The same for every command of every program. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong usage, input or settings. */
  usage: 2,
  unreachable: 3,
  notAllowed: 4,
  notFound: 5,
  /** A conflict, or refused by policy. */
  refused: 6,
  interrupted: 130,
} as const;
export type ExitKind = keyof typeof EXIT;

/**
 * Every error of every program, as one table: code → [HTTP status, title]. The code is the stable part, the same over
 * HTTP, WebSocket, MCP, in the sdk, the package manager and the command line; clients narrow by it. Codes that no server
 * sends have an exit kind in place of the status. A third entry is the exit kind where the status alone misleads.
 */
export const ERRORS = {
  // Any request
  "malformed-request": [400, "The request cannot be read"],
  "invalid-input": [422, "The request has invalid fields"],
  "invalid-parameter": [400, "The request has invalid parameters"],
  "not-found": [404, "There is nothing at this address"],
  "method-not-allowed": [405, "This address does not support this method"],
  "request-timeout": [408, "The request took too long to arrive"],
  "payload-too-large": [413, "The request body is too large"],
  "address-too-long": [414, "The address is too long"],
  "unsupported-media-type": [415, "This address does not accept this content type"],
  "too-many-requests": [429, "Too many requests"],
  "range-unsatisfiable": [416, "The file does not have these bytes"],
  "headers-too-large": [431, "The request headers are too large"],
  "foreign-page": [403, "Pages on other sites may not do this"],
  "host-unknown": [421, "This server is not known by this host name"],
  "metrics-token-needed": [401, "Reading the metrics from other machines needs a token"],
  "too-many-of-these": [409, "Limit reached"],
  "quota-reached": [409, "The owner has no space left"],
  "internal-error": [500, "Internal error"],
  "not-ready": [503, "Backplane is starting, stopping or waiting for a service"],
  "database-unavailable": [503, "The database does not answer"],
  "bus-unavailable": [503, "The message bus does not answer"],
  "disk-full": [507, "The disk is full"],
  "disk-unavailable": [507, "The disk cannot be used"],
  "out-of-descriptors": [503, "This process has no file descriptors left"],

  "backup-running": [409, "A backup is already running"],

  // Gateway and watchdog
  "origin-not-allowed": [403, "Pages from this origin may not connect"],
  "state-unknown": [404, "No application is waiting for this answer"],
  "state-expired": [410, "The application is no longer waiting for this answer"],
  "state-used": [410, "The application has already received its answer"],
  "state-taken": [409, "Another connection is waiting with this state"],
  "state-not-yours": [403, "This connection did not register this state"],
  "secret-needed": [403, "This state needs the secret it was first registered with"],
  "wrong-provider": [400, "The answer arrived at another provider's address"],
  "too-many-registrations": [429, "Too many registrations on this connection"],
  "provider-error": [502, "The provider answered with an error", "failed"],
  unconfirmed: [504, "The application has not confirmed that it received the answer"],
  "watchdog-token-needed": [401, "Requests to the watchdog from other machines need a token"],
  "watchdog-token-wrong": [401, "Wrong watchdog token"],
  "gateway-not-started": [503, "The gateway did not start", "failed"],

  // Accounts, sessions and sign-in requests
  "not-signed-in": [401, "This needs a session or an API key"],
  "sign-in-failed": [401, "Name and password do not match"],
  "scope-missing": [403, "This API key does not have the required scope"],
  "browser-session-needed": [403, "Only a signed-in browser may do this"],
  "session-needed": [403, "This cannot be done with an API key"],
  "owner-only": [403, "Only the owner may do this"],
  "registration-closed": [403, "Creating an account here needs an invitation"],
  "invitation-ended": [410, "This invitation was used or has expired"],
  "reset-link-ended": [410, "This link for a new password no longer works"],
  "wrong-password": [403, "The current password is wrong"],
  "name-taken": [409, "This name is taken"],
  "email-taken": [409, "This email address already has an account"],
  "owner-account": [409, "The owner's account cannot be removed"],
  "own-account": [409, "This cannot be done to your own account"],
  "last-owner": [409, "An organisation needs at least one owner"],
  "intent-unknown": [404, "There is no sign-in request with this token"],
  "intent-expired": [410, "This sign-in request has expired", "failed"],
  "intent-denied": [410, "This sign-in request was denied", "notAllowed"],
  "intent-linked": [409, "This sign-in request was already approved"],
  "session-ended": [410, "The session of this sign-in request has ended", "notAllowed"],
  "wrong-code": [422, "Wrong confirmation code"],
  "caller-mismatch": [403, "This session belongs to another caller"],
  "verifier-needed": [403, "This sign-in request needs its code verifier"],
  "verifier-mismatch": [403, "This code verifier belongs to another sign-in request"],
  "passkey-refused": [401, "This passkey was not accepted"],
  "passkeys-need-a-name": [400, "Passkeys need a host name, not an IP address"],
  "last-sign-in-way": [409, "This is the only way left to sign in to this account"],
  "openid-failed": [502, "Signing in through the provider failed", "failed"],

  // Registry
  "metadata-refused": [422, "The package's metadata has errors", "refused"],
  "archive-refused": [422, "The archive cannot be installed safely", "refused"],
  "version-exists": [409, "This version already exists, and versions never change"],
  "package-not-yours": [403, "This package belongs to another publisher"],
  "package-unknown": [404, "There is no package with this identifier"],
  "version-unknown": [404, "There is no such version of this package"],
  "version-unpublished": [410, "This version was unpublished"],
  "key-too-new": [409, "The next signing key was announced too recently"],
  "index-ended": [410, "This index was replaced long ago"],
  "range-not-satisfiable": [416, "The requested range is outside the file"],
  "archives-unavailable": [503, "The archive storage does not answer"],

  // Workspaces and panels
  "workspace-not-yours": [403, "This workspace belongs to somebody else"],
  "workspace-unknown": [404, "There is no such workspace"],
  "panel-unknown": [404, "There is no such panel in this workspace"],
  "tab-unknown": [404, "There is no such tab in this workspace"],
  "tab-name-ambiguous": [409, "Several tabs in this workspace have this name"],
  "split-unknown": [404, "There is no such split in this workspace"],
  "panel-type-unknown": [422, "The catalog has no panel of this type", "notFound"],
  "consent-needed": [409, "A person has to allow this first"],
  "package-changed": [409, "Somebody else changed this panel at the same time"],
  "wrong-panel-type": [409, "The active tab of this panel is of another type"],
  "runs-no-code": [409, "This panel does not run code of programs"],
  "singleton-panel": [409, "This panel is already open, and a workspace can have only one"],
  "workspace-full": [409, "This workspace has reached its limit of tabs"],
  "nothing-to-undo": [409, "There is nothing to undo"],
  "layout-changed": [409, "The layout has changed in the meantime"],
  "no-browser-session": [409, "No browser has this workspace open"],
  "browser-busy": [429, "The browser is busy"],
  "browser-timeout": [504, "The browser could not be reached in time: nothing was done"],
  /** A failure for commands: a script that tries again because something was unreachable would do it twice. */
  "outcome-unknown": [504, "It is not known whether this was done", "failed"],
  "eval-unknown": [404, "There is no such eval, or its result is no longer kept"],
  "sharing-required": [504, "Nobody is sharing the screen of this workspace", "notAllowed"],
  "sharing-declined": [403, "The user declined to share the screen"],
  "not-rendered": [409, "This panel is not visible"],
  "wrong-method": [400, "This screenshot method does not work here"],
  "shot-failed": [502, "The browser could not take the screenshot", "failed"],
  "shot-unknown": [404, "No request is waiting for this screenshot"],
  "file-unknown": [404, "There is no such file in this project"],
  "file-changed": [412, "The file has changed in the meantime"],
  "file-exists": [412, "A file with this name already exists"],
  "file-name-refused": [422, "A project cannot have a file with this name"],
  "precondition-needed": [428, "This change must name the version of the file that it changes"],
  "schematic-refused": [422, "This schematic cannot be read or changed"],
  "lesson-refused": [422, "This lesson cannot be shown"],
  "step-unknown": [404, "This lesson has no such step"],

  // Devices
  "device-unknown": [404, "There is no such device in this workspace"],
  held: [409, "Somebody else is in control of this device"],
  "not-held": [409, "This needs control of the device"],
  "not-armed": [409, "The device is not armed"],
  stopped: [409, "The devices of this workspace are stopped"],
  latched: [409, "The device has stopped itself and waits to be released"],
  "device-lost": [409, "The device is not connected"],
  replaying: [409, "This page shows a recording"],
  "recording-unknown": [404, "There is no such recording in this workspace"],
  "already-recording": [409, "This workspace is being recorded already"],
  "still-recording": [409, "This recording has not ended yet"],
  "recordings-full": [409, "There is no space left for recordings"],
  "out-of-limits": [422, "A parameter is outside its limits"],
  "unknown-field": [422, "The command has no such parameter"],
  "not-a-number": [422, "A parameter must be a number"],
  unsupported: [422, "The device does not have this command"],
  "no-answer": [504, "The device did not answer in time", "failed"],
  "device-has-key": [409, "This device has a key already"],
  "simulators-off": [403, "Simulators are switched off here"],
  "outside-broker": [409, "Devices connect to a broker that has passwords of its own"],

  // Streams
  "stream-unknown": [404, "There is no such stream in this workspace"],
  "stream-key-needed": [401, "This needs the key of the stream"],
  "stream-unavailable": [502, "The stream has no picture", "failed"],
  "codec-refused": [415, "Browsers do not play the codec of this stream", "refused"],
  "ffmpeg-missing": [409, "This needs ffmpeg on the server", "failed"],

  // Viewer
  "viewer-token-needed": [401, "Requests to the viewer from other machines need a token"],
  "viewer-token-wrong": [401, "Wrong viewer token"],
  "page-token-needed": [401, "This needs the token from the viewer's page"],
  "page-token-wrong": [401, "Wrong page token"],
  "other-project": [403, "This token belongs to another project"],
  "not-an-image": [415, "This is not a supported image"],
  "image-too-large": [413, "The image has too many pixels"],
  "image-damaged": [422, "The image is damaged"],
  "paste-unknown": [404, "There is no such screenshot"],
  "paste-gone": [410, "The files of this screenshot no longer exist"],
  "folder-refused": [503, "The screenshot folder cannot be written", "failed"],

  // The sdk: any call
  "invalid-option": ["usage", "An option is wrong"],
  unreachable: ["unreachable", "The address cannot be reached"],
  temporary: ["unreachable", "Busy; try again in a moment"],
  "unexpected-answer": ["failed", "The answer is not from Backplane"],
  refused: ["refused", "Refused"],
  aborted: ["interrupted", "Stopped"],
  "timed-out": ["failed", "Nobody answered in time"],
  "no-webcrypto": ["failed", "WebCrypto is not available here"],

  // The sdk: connecting to a provider, and signing in
  "gateway-unreachable": ["unreachable", "The gateway cannot be reached"],
  "registration-refused": ["refused", "The gateway refused the registration"],
  expired: ["failed", "The link has expired"],
  denied: ["notAllowed", "The sign-in was denied"],
  declined: ["notAllowed", "The provider declined access"],
  "issuer-mismatch": ["refused", "The answer came from another issuer"],
  "invalid-grant": ["notAllowed", "The provider no longer accepts this code or refresh token"],
  "malformed-answer": ["failed", "The provider's answer cannot be read"],
  "not-connected": ["notAllowed", "Not connected to this provider"],
  "credentials-unreadable": ["usage", "The credentials file cannot be read"],
  "token-file-unreadable": ["failed", "The token file cannot be read"],
  "token-file-unwritable": ["failed", "The token file cannot be written"],
  "token-file-busy": ["refused", "Another process is using the token file"],

  // The package manager
  "bad-spec": ["usage", "This does not name a package"],
  "bad-url": ["usage", "This is not a usable address"],
  "bad-file": ["usage", "The file cannot be used"],
  "bad-version": ["usage", "This is not a version"],
  "bad-brand": ["usage", "This is not a brand"],
  "repository-exists": ["refused", "This repository is already configured"],
  "no-repositories": ["notFound", "No repository is configured"],
  "repository-unknown": ["notFound", "There is no such repository"],
  "not-installed": ["notFound", "This package is not installed"],
  "not-compatible": ["refused", "This package does not work with this tool"],
  pinned: ["refused", "This package is pinned"],
  "other-repository": ["refused", "This package was installed from another repository"],
  "repository-skipped": ["refused", "A repository with this package was skipped"],
  "no-sha256": ["refused", "The metadata has no checksum"],
  "no-download-url": ["refused", "The metadata has no download address"],
  "wrong-sha256": ["refused", "The checksum does not match"],
  "wrong-size": ["refused", "The size does not match"],
  "wrong-package": ["refused", "The archive contains another package"],
  "repository-invalid": ["refused", "The repository is invalid"],
  "packages-invalid": ["refused", "The package list is invalid"],
  "package-invalid": ["refused", "The package's metadata is invalid"],
  "packages-sha256": ["refused", "The checksum of the package list does not match"],
  "index-refused": ["refused", "The signed index failed verification"],
  "too-large": ["refused", "The download is too large"],
  "bad-redirect": ["refused", "The redirect is not allowed"],
  "file-from-network": ["refused", "A remote repository may not name local files"],
  "local-from-network": ["refused", "A remote repository may not name local addresses"],
  "lock-invalid": ["refused", "The lock file is invalid"],
  "bundle-invalid": ["refused", "The bundle is invalid"],
  "http-status": ["unreachable", "The repository answered with an error"],
  offline: ["unreachable", "This needs the network"],
  busy: ["refused", "Another process is changing this installation"],
  "not-applied": ["failed", "The change was not made"],

  // The command line
  "wrong-usage": ["usage", "Wrong usage"],
  "bad-settings": ["usage", "The settings are wrong"],
  "bad-query": ["usage", "There is nothing to search for"],
  "bad-state": ["usage", "The panel state is not a JSON object"],
  "bad-workspace": ["usage", "This does not name a workspace"],
  "bad-tool": ["usage", "This is not a version of a design tool"],
  "tool-unknown": ["notFound", "This version of the design tool is not on this machine"],
  "bad-platform": ["usage", "This is not a platform"],
  "bad-runtime": ["usage", "This is not a runtime"],
  "no-code": ["usage", "There is no code to run"],
  "code-too-long": ["usage", "The code is too long"],
  "file-unreadable": ["usage", "The file cannot be read"],
  "file-unwritable": ["usage", "The file cannot be written"],
  "file-empty": ["usage", "The file is empty"],
  "credentials-missing": ["usage", "There are no credentials for this provider"],
  "endpoints-missing": ["usage", "The provider's addresses are not known"],
  "discovery-failed": ["failed", "The provider's addresses were not found"],
  "unknown-session": ["notFound", "No session has this id"],
  "ambiguous-session": ["refused", "Several sessions match"],
  "current-session": ["refused", "This command uses this session"],
  "session-file-unreadable": ["failed", "The session file cannot be read"],
  "session-file-unwritable": ["failed", "The session file cannot be written"],
  "panel-ambiguous": ["refused", "Several panels match"],
  "backup-unusable": ["failed", "The backup cannot be used"],
  "watchdog-unreachable": ["unreachable", "The watchdog cannot be reached"],
  "not-started": ["failed", "The viewer did not start"],
  "root-needed": ["notAllowed", "Only root may do this"],
  disk: ["failed", "The disk reported an error"],
} as const satisfies Record<string, readonly [status: number | ExitKind, title: string, exit?: ExitKind]>;

export type ErrorCode = keyof typeof ERRORS;

/** What a server can answer with: the codes that have a status. */
export type ProblemCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code][0] extends number ? Code : never;
}[ErrorCode];

export const isErrorCode = (text: unknown): text is ErrorCode =>
  typeof text === "string" && Object.hasOwn(ERRORS, text);

/** For what came over a wire: another version may know other codes. */
export const isProblemCode = (text: unknown): text is ProblemCode =>
  isErrorCode(text) && typeof ERRORS[text][0] === "number";

const EXIT_KIND_OF_STATUS: Readonly<Record<number, ExitKind>> = {
  400: "usage",
  401: "notAllowed",
  403: "notAllowed",
  404: "notFound",
  408: "unreachable",
  409: "refused",
  410: "notFound",
  412: "refused",
  413: "usage",
  414: "usage",
  415: "usage",
  422: "usage",
  428: "refused",
  429: "refused",
  502: "unreachable",
  503: "unreachable",
  504: "unreachable",
};

/** What a command that ends with this error tells the shell. */
export function exitCodeOf(code: ErrorCode): number {
  const [status, , exit]: readonly [number | ExitKind, string, ExitKind?] = ERRORS[code];
  if (exit !== undefined) return EXIT[exit];
  return EXIT[typeof status === "string" ? status : (EXIT_KIND_OF_STATUS[status] ?? "failed")];
}

/** One faulty field: where it is (JSON pointer) and what is wrong with it. */
export type FieldFault = { pointer: string; message: string };

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** RFC 9457 `application/problem+json`. */
export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  detail?: string;
  /** The title again: older programs show this. */
  error: string;
  instance: string;
  code: ProblemCode;
  errors?: readonly FieldFault[];
};
