export { OAuthError, type OAuthErrorCode } from "./errors.ts";
export { type ExchangeOptions, exchangeCode } from "./exchange/exchange.ts";
export { NO_EXPIRY_MS, type OAuthTokens } from "./exchange/token-answer.ts";
export { type OAuthCode, type OAuthFlow, type OAuthFlowOptions, startOAuthFlow } from "./flow/flow.ts";
export type { OAuthFlowEvent } from "./flow/flow-event.ts";
