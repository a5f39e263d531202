/** The one error class of the client: a problem that the service answered (RFC 9457), or an answer that never came. */
import type { Fault, Problem, ProblemCode } from './openapi-types.ts';

export class AlmanacProblem extends Error {
  override readonly name = 'AlmanacProblem';
  /** The stable code. `unreachable` means that no answer came, `unexpected_answer` that something else than Almanac answered. */
  readonly code: ProblemCode | 'unreachable' | 'unexpected_answer';
  /** The HTTP status; 0 where no answer came. */
  readonly status: number;
  /** Every fault of a request that is not valid, with its path. */
  readonly errors: Fault[];
  /** By this id the operator finds the request in the log; null where no answer came. */
  readonly request_id: string | null;
  /** The whole problem, with the members that some codes add. */
  readonly problem: Partial<Problem> & Record<string, unknown>;
  /** After how many milliseconds the service asks to repeat the request. */
  readonly retryAfter: number | undefined;

  constructor(
    problem: AlmanacProblem['problem'],
    { retryAfter, cause }: { retryAfter?: number; cause?: unknown } = {},
  ) {
    super(problem.detail ?? problem.title ?? 'The request failed.', cause === undefined ? {} : { cause });
    this.code = problem.code ?? 'unexpected_answer';
    this.status = problem.status ?? 0;
    this.errors = problem.errors ?? [];
    this.request_id = problem.request_id ?? null;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

export const unreachable = (cause: unknown): AlmanacProblem => {
  // Node says "fetch failed" and gives the reason as the cause of that.
  const reason = [cause, (cause as Error | undefined)?.cause]
    .flatMap((one) => (one instanceof Error ? [one.message] : []))
    .join(': ');
  return Object.assign(new AlmanacProblem({ detail: `No answer came: ${reason}` }, { cause }), {
    code: 'unreachable' as const,
  });
};

/** @returns the problem of an address that is none, such as one without its scheme; in a browser it may be relative to the page */
export const addressFault = (url: string): AlmanacProblem | undefined => {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  try {
    if (/^https?:$/.test(new URL(url, page).protocol)) return undefined;
  } catch {
    // It is no URL.
  }
  const detail = `url: ${url} is not the address of a service. Write it with its scheme, such as http://127.0.0.1:8080.`;
  return Object.assign(new AlmanacProblem({ detail }), { code: 'unreachable' as const });
};

/** Seconds, or a date (RFC 9110 §10.2.3). */
const waitOf = (header: string | null): number | undefined => {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
};

export const problemOf = async (response: Response): Promise<AlmanacProblem> => {
  const { status, statusText } = response;
  const text = await response.text();
  const retryAfter = waitOf(response.headers.get('Retry-After'));
  const options = retryAfter === undefined ? {} : { retryAfter };
  if (response.headers.get('Content-Type')?.startsWith('application/problem+json'))
    return new AlmanacProblem({ status, ...(JSON.parse(text) as AlmanacProblem['problem']) }, options);
  return new AlmanacProblem(
    { status, detail: `The answer is ${status} ${statusText} and is not a problem document.` },
    options,
  );
};
