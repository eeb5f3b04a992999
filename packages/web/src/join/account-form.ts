import type { Fault } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";

/** As the contract has them; a test compares. */
export const NAME_PATTERN = /^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,37}[a-zA-Z0-9])?$/;
export const MIN_PASSWORD_LENGTH = 8;

export type AccountFields = { name: string; email: string; password: string };
export type FieldName = keyof AccountFields;
export type FieldFaults = Partial<Record<FieldName, string>>;

export const FIELD_ORDER: readonly FieldName[] = ["name", "email", "password"];

const checks: Record<FieldName, (value: string) => string | undefined> = {
  name: (value) =>
    NAME_PATTERN.test(value)
      ? undefined
      : "Use 1 to 39 letters, digits, dots, dashes or underscores, such as ada.king. It begins and ends with a letter or digit.",
  email: (value) =>
    /^[^\s@]+@[^\s@]+$/.test(value) ? undefined : "Type an email address, such as ada@fieldworks.example.",
  password: newPasswordFault,
};

export function newPasswordFault(value: string): string | undefined {
  return value.length < MIN_PASSWORD_LENGTH ? `Use ${MIN_PASSWORD_LENGTH} characters or more.` : undefined;
}

export const checkField = (field: FieldName, value: string): string | undefined => checks[field](value);

export function checkAll(fields: AccountFields): FieldFaults {
  const faults = FIELD_ORDER.flatMap((field) => {
    const fault = checkField(field, fields[field]);
    return fault === undefined ? [] : [[field, fault] as const];
  });
  return Object.fromEntries(faults);
}

const codeFields: Record<string, [FieldName, string]> = {
  "name-taken": ["name", "This name is taken. Choose another one."],
  "email-taken": ["email", "This email address already has an account. Sign in instead, or use another one."],
};

/** A refusal of the server, put to the field that it is about; `other` when it is about none. */
export function refusal(fault: Fault): { fields: FieldFaults; other?: string } {
  const known = codeFields[fault.code];
  if (known) return { fields: { [known[0]]: known[1] } };
  const fields = Object.fromEntries(
    fault.errors.flatMap(({ pointer, message }) => {
      const field = FIELD_ORDER.find((name) => pointer === `/${name}` || pointer === `/body/${name}`);
      return field ? [[field, `${message}.`]] : [];
    }),
  );
  return Object.keys(fields).length > 0 ? { fields } : { fields: {}, other: faultWords(fault) };
}
