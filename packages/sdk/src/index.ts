export type {
  AddedSplit as OpenedSplit,
  AddedTab as OpenedTab,
  CatalogPanel,
  EvalLog,
  EvalResult,
  Layout as WorkspaceLayout,
  LayoutNode as WorkspaceNode,
  ListedTab,
  NewPanel,
  Probe as WorkspaceProbe,
  Screenshot,
  ScreenshotRequest as ScreenshotOptions,
  ScreenshotStatus,
  Tab as WorkspaceTab,
  WebviewReport,
} from "@backplane/contract/panels";
export type { ErrorCode, FieldFault } from "@backplane/contract/problems";
export type {
  CheckedUpload as CheckedPackage,
  CheckNote as PackageNote,
  DetailedVersion as PackageVersionDetails,
  FoundPackage,
  PackageDetails,
  PublishedVersion as PublishedPackage,
  SearchAnswer as FoundPackages,
  UnpublishedVersion,
} from "@backplane/contract/registry";
export type { SessionOptions } from "./call.ts";
export {
  BackplaneError,
  CallError,
  type CallErrorCode,
  OAuthError,
  type OAuthErrorCode,
  PanelsError,
  RegistryError,
  SignInError,
  type SignInErrorCode,
} from "./errors.ts";
export { type ExchangeOptions, exchangeCode } from "./oauth/exchange.ts";
export { type OAuthCode, type OAuthFlow, type OAuthFlowOptions, startOAuthFlow } from "./oauth/flow.ts";
export { NO_EXPIRY_MS, type OAuthTokens } from "./oauth/token-answer.ts";
export type { OAuthFlowEvent } from "./oauth/wait.ts";
export {
  checkPackage,
  getPackage,
  type PublisherOptions,
  publishPackage,
  type RegistryOptions,
  type SearchOptions,
  type StatusOptions,
  searchPackages,
  setPackageStatus,
  setPackageVisibility,
  type UnpublishOptions,
  type UploadOptions,
  unpublishPackage,
  type VisibilityOptions,
} from "./registry.ts";
export {
  endSession,
  getUser,
  listSessions,
  type Membership,
  type Session,
  signOut,
  type User,
} from "./sign-in/account.ts";
export { type SignedIn, type SignInLink, type SignInOptions, signIn } from "./sign-in/sign-in.ts";
export type { SignInEvent } from "./sign-in/wait.ts";
export {
  listPanels,
  listWorkspaces,
  openWorkspace,
  type PanelsOptions,
  type Workspace,
  type WorkspaceOptions,
} from "./workspace.ts";
