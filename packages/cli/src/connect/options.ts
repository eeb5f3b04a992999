/** What the command line says, as commander names it. */
export type ConnectOptions = {
  credentials?: string;
  issuer?: string;
  authUrl?: string;
  tokenUrl?: string;
  scopes?: string;
  param?: Record<string, string>;
  clientAuth?: "post" | "basic";
  user?: string;
  gateway?: string;
  /** Seconds. */
  timeout?: number;
  open?: boolean;
  json?: boolean;
};
