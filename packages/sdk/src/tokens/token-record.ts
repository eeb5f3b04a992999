/** What is kept per user. Other fields are kept as they are. */
export type TokenRecord = {
  accessToken: string;
  refreshToken?: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  [other: string]: unknown;
};

export type CheckedRecord = { isRecord: true; record: TokenRecord } | { isRecord: false; field: string; fault: string };

/** The record, or what is wrong with it: a field and a fault, never a value. */
export function checkRecord(value: unknown): CheckedRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return wrong("it", "is no JSON object");
  }
  const { accessToken, refreshToken, expiresAt, ...others } = value as Record<string, unknown>;
  if (typeof accessToken !== "string" || accessToken === "") return wrong("accessToken", "is missing");
  if (typeof expiresAt !== "number" || !Number.isFinite(expiresAt)) {
    return wrong("expiresAt", "is no time in milliseconds");
  }
  if (refreshToken === undefined || refreshToken === null || refreshToken === "") {
    return { isRecord: true, record: { accessToken, expiresAt, ...others } };
  }
  if (typeof refreshToken !== "string") return wrong("refreshToken", "is no text");
  return { isRecord: true, record: { accessToken, refreshToken, expiresAt, ...others } };
}

const wrong = (field: string, fault: string): CheckedRecord => ({ isRecord: false, field, fault });
