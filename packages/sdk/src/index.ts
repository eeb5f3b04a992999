export { CallError, type CallErrorCode } from "./calls/errors.ts";
export { OAuthError, type OAuthErrorCode } from "./errors.ts";
export { type ExchangeOptions, exchangeCode } from "./exchange/exchange.ts";
export { NO_EXPIRY_MS, type OAuthTokens } from "./exchange/token-answer.ts";
export { type OAuthCode, type OAuthFlow, type OAuthFlowOptions, startOAuthFlow } from "./flow/flow.ts";
export type { OAuthFlowEvent } from "./flow/flow-event.ts";
export type { PublisherOptions, RegistryOptions } from "./packages/call.ts";
export { RegistryError, type RegistryErrorCode, type RegistryFault } from "./packages/errors.ts";
export { rotateRegistryKey } from "./packages/keys.ts";
export {
  checkPackage,
  publishPackage,
  type StatusOptions,
  setPackageStatus,
  type UploadOptions,
} from "./packages/publish.ts";
export { getPackage, type SearchOptions, searchPackages } from "./packages/read.ts";
export type {
  CheckedPackage,
  FoundPackage,
  FoundPackages,
  PackageDetails,
  PackageNote,
  PackageVersionDetails,
  PublishedPackage,
  RegistryKey,
} from "./packages/types.ts";
export type { PanelsOptions } from "./panels/call.ts";
export { PanelsError } from "./panels/errors.ts";
export type {
  CatalogPanel,
  EvalLog,
  EvalResult,
  ListedTab,
  NewPanel,
  NewSplit,
  NewTab,
  OpenedSplit,
  OpenedTab,
  Screenshot,
  ScreenshotOptions,
  ScreenshotStatus,
  TabMove,
  WebviewReport,
  WorkspaceLayout,
  WorkspaceNode,
  WorkspaceProbe,
  WorkspaceSummary,
  WorkspaceTab,
} from "./panels/types.ts";
export {
  listPanels,
  listWorkspaces,
  openWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from "./panels/workspace.ts";
export { SignInError, type SignInErrorCode } from "./sign-in/errors.ts";
export type { SessionOptions } from "./sign-in/session-call.ts";
export { endSession, listSessions, type Session } from "./sign-in/sessions.ts";
export { type SignedIn, type SignInLink, type SignInOptions, signIn } from "./sign-in/sign-in.ts";
export { getUser, signOut, type User } from "./sign-in/user.ts";
export type { SignInEvent } from "./sign-in/wait.ts";
