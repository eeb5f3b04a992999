const PLAIN = /^[\w@%+=:,./-]+$/;

/** A text as one argument of a shell command that is pasted. */
export const shellArgument = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
