/** Creates the owner's account and key at the first start, and prints how to try the service. */
import type { App } from './app.ts';
import type { Config } from './config.ts';
import { storedZone } from '../domain/time/time.ts';
import { loginLink } from '../user/login-links.ts';
import { generatedPassword } from '../user/owner-reset.ts';

/** Generated credentials, which are shown this once. */
export type Owner = { email: string; password: string | null; key: string | null };

export const hasGenerated = (owner: Owner | 'nobody' | null): boolean =>
  owner !== null && owner !== 'nobody' && (owner.password !== null || owner.key !== null);

/**
 * Creates the owner where no account exists. It returns null otherwise, and `nobody` where the last account was erased: the next
 * owner is then created only by OWNER_EMAIL.
 */
export const firstStart = async (
  { services: { users, accounts, keys } }: App,
  config: Config,
): Promise<Owner | 'nobody' | null> => {
  if (!(await users.isEmpty())) return null;
  if (config.OWNER_EMAIL === undefined && (await accounts.wereErased())) return 'nobody';
  const email = config.OWNER_EMAIL ?? 'owner@almanac.local';
  const password = config.OWNER_PASSWORD ?? generatedPassword();
  const timezone = config.OWNER_TIMEZONE ?? storedZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
  try {
    const { extra: key } = await users.create({ email, password, timezone }, true, (writer) =>
      keys.makeOwnerKey(writer, config.OWNER_API_KEY),
    );
    return { email, password: config.OWNER_PASSWORD ? null : password, key: config.OWNER_API_KEY ? null : key };
  } catch (error) {
    if (!(await users.isEmpty())) return null; // Another instance that started at the same time has created the owner.
    throw error;
  }
};

/** What to do where the port was taken after the owner was created, whose password was then not shown. */
export const unseen = (owner: Owner): string =>
  `The account ${owner.email} was created before.${hasGenerated(owner) ? ' npm run owner -- --reset gives it a new password and key.' : ''}`;

const NOBODY = [
  '  There is no account, because the last one was erased. Set OWNER_EMAIL to make one at the next start,',
  '  or set ALLOW_REGISTRATION=true to let people register.',
  '',
  '',
];

const readerOf = ({ OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL }: Config): string =>
  OPENAI_API_KEY || OPENAI_BASE_URL
    ? `Sentences are read by the model ${OPENAI_MODEL}.`
    : 'Sentences are read by the built-in planner, in English. OPENAI_API_KEY or OPENAI_BASE_URL connect a model (docs/models.md).';

/** @param ticket of a login link for the owner, null where none is shown */
export const welcome = (
  config: Config,
  port: number,
  { database, owner, ticket }: { database: string; owner: Owner | 'nobody' | null; ticket: string | null },
): string => {
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST;
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const where = database === 'embedded' ? `embedded database in ${config.DATA_DIR}` : 'Postgres at DATABASE_URL';
  const lines = [
    '',
    `  Almanac is at ${base}  (${where})`,
    `  Documentation: ${base}/docs`,
    `  ${readerOf(config)}`,
    '',
  ];
  if (ticket)
    lines.push('  Open the console with this link (valid for ten minutes, once):', `  ${loginLink(base, ticket)}`, '');
  if (owner === 'nobody') return [...lines, ...NOBODY].join('\n');
  if (owner) {
    lines.push('  The owner account was made. These are shown only once:', `    e-mail    ${owner.email}`);
    lines.push(
      `    password  ${owner.password ?? 'as in OWNER_PASSWORD'}`,
      `    API key   ${owner.key ?? 'as in OWNER_API_KEY'}`,
      '',
    );
  }
  const key = owner?.key ?? '$KEY';
  const auth = `-H "Authorization: Bearer ${key}"`;
  const json = `-H 'Content-Type: application/json'`;
  lines.push(
    '  Try it:',
    `    curl -s ${base}/memory/push ${auth} ${json} -d '{"traces":[{"type":"observation","content":"The thesis outline is done","task_id":"thesis"}]}'`,
    `    curl -s ${base}/chat/respond ${auth} ${json} -d '{"prompt":"Plan 90 minutes of deep work on #thesis tomorrow morning"}'`,
    `    curl -s ${base}/agent/queue ${auth}`,
    ...(owner?.key
      ? []
      : ['', '  ($KEY is your API key. If you have lost it, npm run owner -- --reset makes another.)']),
    '',
    '',
  );
  return lines.join('\n');
};
