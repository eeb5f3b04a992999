export type HttpRequest = {
  path: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
};
