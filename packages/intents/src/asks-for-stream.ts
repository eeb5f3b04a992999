/** Whether an Accept header asks for a stream of events; names of media types have no case (RFC 9110, section 8.3.1). */
export const asksForStream = (accept: string | undefined): boolean =>
  accept !== undefined && /text\/event-stream/i.test(accept);
