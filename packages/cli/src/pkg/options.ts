/** What every command here takes, as commander names it. */
export type PkgOptions = {
  root?: string;
  brand?: string;
  tool?: string;
  platform?: string;
  runtime?: string[];
  offline?: boolean;
  strict?: boolean;
  json?: boolean;
};

export type DryRun = { dryRun?: boolean };
