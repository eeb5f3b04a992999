import { MAX_NAME_LENGTH, MIN_PASSWORD_LENGTH, NAME_PATTERN } from "@backplane/contract/accounts";
import type { Fault } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";

const NAME = new RegExp(NAME_PATTERN);

export type AccountFields = { name: string; email: string; password: string };
export type FieldName = keyof AccountFields;
export type FieldFaults = Partial<Record<FieldName, string>>;

export const FIELD_ORDER: readonly FieldName[] = ["name", "email", "password"];

const checks: Record<FieldName, (value: string) => string | undefined> = {
  name: (value) =>
    NAME.test(value)
      ? undefined
      : `Use 1 to ${MAX_NAME_LENGTH} letters, digits, dots, dashes or underscores, such as ada.king. Begin and end with a letter or a digit.`,
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

/** Maps the server's refusal to the field it is about; `other` when it is about none. */
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
