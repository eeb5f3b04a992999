import { hashPassword, type Passwords, verifyPassword } from "./passwords.ts";

/** Real hashes that take a thousandth of the time. How strong they are by default is the subject of passwords.test.ts. */
export const quickPasswords: Passwords = {
  hashPassword: (password) => hashPassword(password, { memoryKib: 8, passes: 1 }),
  verifyPassword,
};
