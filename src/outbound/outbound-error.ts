/** Why a request of the service to an address that a user chose has no answer. */

export type OutboundCode =
  | 'url_refused'
  | 'address_refused'
  | 'host_unknown'
  | 'connection_failed'
  | 'timed_out'
  | 'too_large'
  | 'encoding_refused'
  | 'too_many_redirects';

/** Why a request got no answer that can be used. The message is for the person who chose the URL. */
export class OutboundError extends Error {
  readonly code: OutboundCode;
  constructor(code: OutboundCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The failure where a whole answer takes longer than this. */
export const tooSlow = (timeoutMs: number): OutboundError =>
  new OutboundError('timed_out', `No complete answer came within ${timeoutMs / 1000} seconds.`);
