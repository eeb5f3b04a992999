/**
 * Every error a caller can get, as one table: code → status and title. The code is the stable part, the same
 * over HTTP, WebSocket, MCP and in the sdk; clients narrow by it.
 */
export const PROBLEMS = {
  "malformed-request": [400, "The request cannot be read"],
  "invalid-input": [422, "The request has invalid fields"],
  "invalid-parameter": [400, "The request has invalid parameters"],
  "not-found": [404, "There is nothing at this address"],
  "method-not-allowed": [405, "This address does not take this method"],
  "request-timeout": [408, "The request took too long to arrive"],
  "payload-too-large": [413, "The request body is too large"],
  "address-too-long": [414, "The address is too long"],
  "unsupported-media-type": [415, "The request body is of a type this address does not take"],
  "too-many-requests": [429, "Too many requests"],
  "headers-too-large": [431, "The request headers are too large"],
  "origin-not-allowed": [403, "Pages of this origin may not connect"],
  "state-unknown": [404, "No application is waiting for this answer"],
  "state-expired": [410, "The application has stopped waiting for this answer"],
  "state-used": [410, "The application has had its answer"],
  "state-taken": [409, "Another connection waits with this state"],
  "state-not-yours": [403, "This connection has not registered this state"],
  "secret-needed": [403, "This state needs the secret it was first registered with"],
  "wrong-provider": [400, "The answer came to another provider's address"],
  "too-many-registrations": [429, "This connection has registered as many states as it may"],
  "provider-error": [502, "The provider answered with an error"],
  unconfirmed: [504, "The application has not confirmed that it has the answer"],
  "watchdog-token-needed": [401, "The watchdog answers without a token on its own machine only"],
  "watchdog-token-wrong": [401, "The watchdog does not know this token"],
  "foreign-page": [403, "A page of another site may not do this"],
  "gateway-not-started": [503, "The gateway did not start"],
  "not-signed-in": [401, "This needs a session or an API key"],
  "sign-in-failed": [401, "Name and password do not match"],
  "scope-missing": [403, "This API key may not do this"],
  "browser-session-needed": [403, "Only a signed-in browser may do this"],
  "session-needed": [403, "An API key may not do this"],
  "owner-only": [403, "Only the owner may do this"],
  "registration-closed": [403, "An account needs an invitation here"],
  "invitation-ended": [410, "This invitation was used or has expired"],
  "wrong-password": [403, "The current password is not right"],
  "name-taken": [409, "This name is taken"],
  "email-taken": [409, "This email address has an account"],
  "owner-account": [409, "The account of the instance's owner stays"],
  "last-owner": [409, "An organisation keeps at least one owner"],
  "too-many-of-these": [409, "There are as many of these as there may be"],
  "intent-unknown": [404, "There is no sign-in request with this token"],
  "intent-expired": [410, "This sign-in request has expired"],
  "intent-denied": [410, "This sign-in request was denied"],
  "intent-linked": [409, "This sign-in request was already approved"],
  "session-ended": [410, "The session of this sign-in request has ended"],
  "wrong-code": [422, "The confirmation code is another one"],
  "caller-mismatch": [403, "Another caller has this session"],
  "verifier-needed": [403, "This sign-in request needs its verifier"],
  "verifier-mismatch": [403, "This verifier belongs to another sign-in request"],
  "passkey-refused": [401, "This passkey was not accepted"],
  "passkeys-need-a-name": [400, "Passkeys do not work at an address without a name"],
  "last-sign-in-way": [409, "This is the only way left to sign in to this account"],
  "openid-failed": [502, "Signing in through the provider failed"],
  "metadata-refused": [422, "The package's metadata has faults"],
  "archive-refused": [422, "The archive is not one that can be installed safely"],
  "version-exists": [409, "This version exists, and its bytes never change"],
  "package-not-yours": [403, "Somebody else publishes this package"],
  "package-unknown": [404, "There is no package with this identifier"],
  "version-unknown": [404, "There is no such version of this package"],
  "index-ended": [410, "This index was replaced long ago"],
  "range-not-satisfiable": [416, "The file has no such bytes"],
  "archives-unavailable": [503, "The store of the archives does not answer"],
  "workspace-not-yours": [403, "This workspace is somebody else's"],
  "panel-unknown": [404, "There is no such panel in this workspace"],
  "tab-unknown": [404, "There is no such tab in this workspace"],
  "tab-name-ambiguous": [409, "Several tabs of this workspace have this name"],
  "split-unknown": [404, "There is no such split in this workspace"],
  "panel-type-unknown": [422, "The catalog has no such panel"],
  "wrong-panel-type": [409, "The active tab of this panel is of another kind"],
  "singleton-panel": [409, "This panel is open already, and a workspace has at most one"],
  "workspace-full": [409, "This workspace has as many tabs as it may"],
  "nothing-to-undo": [409, "There is nothing to undo"],
  "layout-changed": [409, "The layout has changed meanwhile"],
  "no-browser-session": [409, "No browser has this workspace open"],
  "browser-busy": [429, "The browser has as much to do as it may"],
  "browser-timeout": [504, "The browser did not answer in time"],
  "eval-unknown": [404, "There is no such piece of code, or its result was dropped"],
  "sharing-required": [504, "Nobody shares the screen of this workspace"],
  "sharing-declined": [403, "The user does not want to share the screen"],
  "not-rendered": [409, "This panel is not visible"],
  "wrong-method": [400, "This way to take a screenshot does not work here"],
  "shot-failed": [502, "The browser could not take the screenshot"],
  "shot-unknown": [404, "Nobody waits for this screenshot"],
  "file-unknown": [404, "There is no such file in this project"],
  "file-changed": [412, "The file has changed meanwhile"],
  "file-exists": [412, "There is a file of this name already"],
  "file-name-refused": [422, "A project cannot have a file of this name"],
  "precondition-needed": [428, "This change needs the version of the file that it changes"],
  "address-refused": [403, "The proxy does not go to this address"],
  "site-unreachable": [502, "The site does not answer"],
  "viewer-token-needed": [401, "The viewer answers without a token on its own machine only"],
  "viewer-token-wrong": [401, "The viewer does not know this machine's token"],
  "page-token-needed": [401, "This needs the token of the viewer's page"],
  "page-token-wrong": [401, "The viewer does not know this token"],
  "other-project": [403, "This token belongs to another project"],
  "host-unknown": [421, "The viewer is not known by this host name"],
  "not-an-image": [415, "This is not an image that can be kept"],
  "image-too-large": [413, "The image has too many pixels"],
  "image-damaged": [422, "The image cannot be read to its end"],
  "paste-unknown": [404, "There is no such screenshot"],
  "paste-gone": [410, "The files of this screenshot are no longer there"],
  "disk-full": [507, "There is no room for the screenshot"],
  "folder-refused": [503, "The folder of the screenshots cannot be written"],
  "internal-error": [500, "Backplane failed to answer"],
  "not-ready": [503, "Backplane is starting, stopping or waiting for a service"],
  "database-unavailable": [503, "The database does not answer"],
  "bus-unavailable": [503, "The message bus does not answer"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** For what came over a wire: another version may know other codes. */
export const isProblemCode = (text: unknown): text is ProblemCode =>
  typeof text === "string" && Object.hasOwn(PROBLEMS, text);

/** One faulty field: where it is (JSON pointer) and what is wrong with it. */
export type FieldFault = { pointer: string; message: string };

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** RFC 9457 `application/problem+json`. */
export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  detail?: string;
  instance: string;
  code: ProblemCode;
  errors?: readonly FieldFault[];
};
