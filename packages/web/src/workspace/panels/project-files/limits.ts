/** As the server has them; a test compares. */
export const MAX_TEXT_FILE_BYTES = 2_097_152;
export const MAX_FILE_BYTES = 16_777_216;
