import { hashSecret } from "@backplane/kit/secrets";

const INTENT_TOKEN = /^int_[A-Za-z0-9_-]{43}$/;

/** Whether it could be one: what could not is unknown without asking anybody. */
export const isIntentToken = (text: string): boolean => INTENT_TOKEN.test(text);

/** What the tables know an intent by. */
export const hashIntentToken = hashSecret;
