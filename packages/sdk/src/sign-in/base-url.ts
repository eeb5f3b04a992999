import { isLoopback, webAddress } from "../addresses.ts";
import { asSignInError, badOption } from "./errors.ts";

export type Place = {
  /** Where Backplane is: its BASE_URL. */
  baseUrl: string;
  /** Over plain http tokens can be read on the way. Allowed to this machine; elsewhere only with this. Default false. */
  allowHttp?: boolean | undefined;
};

/** The address without a slash at its end, once it is one that secrets may be sent to. */
export function rootOf({ baseUrl, allowHttp }: Place): string {
  const url = readAddress(baseUrl);
  if (url.search !== "") throw badOption("baseUrl", "has a query; give the address alone");
  if (url.protocol === "http:" && !isLoopback(url.hostname) && allowHttp !== true) {
    throw badOption("baseUrl", "is not encrypted; give one with https://, or set allowHttp where the network is yours");
  }
  return url.href.replace(/\/+$/, "");
}

function readAddress(baseUrl: string): URL {
  try {
    return webAddress("baseUrl", baseUrl, ["https:", "http:"]);
  } catch (error) {
    throw asSignInError(error);
  }
}
