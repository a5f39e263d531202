/** What happens some days later, by the clock of the test. */
import { client, type TestApp, type TestUser } from './app.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Lets the executor expire and execute what is due by then. The person logs in again, because the sessions of before are over. */
export const daysLater = async (
  app: TestApp,
  days: number,
  user: TestUser,
  work: () => Promise<void>,
): Promise<void> => {
  app.clock.advance(days * DAY_MS);
  try {
    await app.executor.round();
    const { body } = await client(app, null)
      .post('/user/login', { email: user.email, password: user.password })
      .expect(200);
    Object.assign(user, client(app, body.token));
    await work();
  } finally {
    app.clock.advance(-days * DAY_MS);
  }
};
