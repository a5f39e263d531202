/** Where the client gets its token from: a key, a function, or a login that refreshes itself. */
import type { Session } from './openapi-types.ts';
import { AlmanacProblem } from './almanac-problem.ts';

/**
 * Answers the token of the next request. `rejected` is a token that the service has just refused; the request is sent again if the
 * answer is another one.
 */
export type TokenSource = (rejected?: string) => string | Promise<string>;

/** A login. The access token stays in memory; `onSession` gets each new session, for example to store its refresh token. */
export type Login = ({ email: string; password: string } | { refresh_token: string }) & {
  onSession?: (session: Session) => void | Promise<void>;
};

/** An API key or access token, a function that answers one, or a login. */
export type Credential = string | TokenSource | Login;

/** Sends the body to a route that needs no credential. */
type Exchange = (path: '/user/login' | '/user/refresh', body: object) => Promise<Session>;

const loginSource = (login: Login, exchange: Exchange): TokenSource => {
  let token: string | undefined;
  let refreshToken = 'refresh_token' in login ? login.refresh_token : undefined;
  let renewal: Promise<string> | undefined;

  const enter = async (): Promise<Session> => {
    if (refreshToken !== undefined) {
      try {
        return await exchange('/user/refresh', { refresh_token: refreshToken });
      } catch (error) {
        const isOver = error instanceof AlmanacProblem && error.status === 401;
        if (isOver) refreshToken = undefined;
        if (!isOver || 'refresh_token' in login) throw error;
      }
    }
    if ('refresh_token' in login)
      throw new AlmanacProblem({ status: 401, code: 'unauthenticated', detail: 'The login has ended. Log in again.' });
    const { email, password } = login;
    return exchange('/user/login', { email, password });
  };

  const renew = async (): Promise<string> => {
    const session = await enter();
    token = session.token;
    refreshToken = session.refresh_token;
    await login.onSession?.(session);
    return session.token;
  };

  return (rejected) => {
    if (token !== undefined && token !== rejected) return token;
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
};

export const tokenSource = (credential: Credential, exchange: Exchange): TokenSource => {
  if (typeof credential === 'string') return () => credential;
  return typeof credential === 'function' ? credential : loginSource(credential, exchange);
};
