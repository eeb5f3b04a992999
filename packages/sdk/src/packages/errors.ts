import { CallError, type CallErrorCode, type CallFault } from "../calls/errors.ts";

export type RegistryErrorCode = CallErrorCode;
export type RegistryFault = CallFault;

/** Every expected failure of a call to the registry. */
export class RegistryError extends CallError {
  override name = "RegistryError";
}
