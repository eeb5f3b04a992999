/** A prefix of four and 256 bits in base64url, as `newSecret` makes them. */
export const SECRET_LENGTH = 47;
export const SESSION_PREFIX = "tok_";

const SESSION_TOKEN = /^tok_[A-Za-z0-9_-]{43}$/;
const API_KEY = /^bpk_[A-Za-z0-9_-]{43}$/;

export const isSessionToken = (text: string): boolean => text.length === SECRET_LENGTH && SESSION_TOKEN.test(text);
export const isApiKey = (text: string): boolean => text.length === SECRET_LENGTH && API_KEY.test(text);
