import assert from "node:assert/strict";
import { inspect } from "node:util";
import { SignInError, type SignInErrorCode } from "../errors.ts";

/** An error with this code, with a sentence for people and without any secret. */
export const failsWith =
  (code: SignInErrorCode, more: Partial<Record<keyof SignInError, unknown>> = {}) =>
  (error: unknown): true => {
    assert.ok(error instanceof SignInError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, /^[A-Za-z].*\.$/);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /c4nary/);
    for (const [field, value] of Object.entries(more)) assert.deepEqual(error[field as keyof SignInError], value);
    return true;
  };
