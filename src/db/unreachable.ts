/** Explains to the operator why the database at DATABASE_URL can't be used. The explanation never includes the password. */
import pg from 'pg';

/** What the operator should do, by SQLSTATE or by the code of Node's socket or TLS; the first match applies. */
const REMEDIES: [code: RegExp, remedy: string][] = [
  [/^(ECONNREFUSED|ENOENT)/, 'No Postgres answers there: start it, or correct host and port.'],
  [/^(ENOTFOUND|EAI_AGAIN)/, 'The host name is unknown: correct it.'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/, 'Nothing answers there: correct the host, or open the way to it.'],
  [/^28P01/, 'Correct the user or the password.'],
  [/^28/, 'Correct the user, or let it in (pg_hba.conf; with sslmode=require where it asks for encryption).'],
  [/^3D000/, 'Create the database (createdb), or correct its name.'],
  [/^08P01/, 'A pooler refuses it: correct user, password and database as the pooler knows them.'],
  [/^53300/, 'It has no connection left: raise max_connections, or lower DATABASE_POOL.'],
  [/^57P03/, 'It is starting or stopping: try again in a moment.'],
  [
    /CERT|^UNABLE_TO|^ERR_TLS/,
    'Its certificate is not trusted: name the right one with sslrootcert=, or correct sslmode.',
  ],
];
/** node-postgres gives these errors no code. */
const CODELESS: [message: RegExp, remedy: string][] = [
  [/does not support SSL/, 'It takes no encrypted connections: correct sslmode.'],
  [/SASL|password must be a string/, 'It asks for a password: put it into the address.'],
  [/timeout/, 'Nothing answers there: correct the host, or open the way to it.'],
];

/** Null where the address itself is wrong, for example because it names a certificate file that does not exist. */
const clientOf = (url: string): pg.Client | null => {
  try {
    return new pg.Client({ connectionString: url });
  } catch {
    return null;
  }
};

/** @param error the error of the first connection */
export const whyUnreachable = (url: string, error: unknown): string => {
  const { code = '', message } = error as { code?: string; message: string };
  const client = clientOf(url);
  if (!client) return `DATABASE_URL can't be used (${message}). Correct what it names.`;
  const { host, port, user = '', database = '' } = client;
  const where = host.startsWith('/')
    ? `${host}/.s.PGSQL.${port}`
    : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  // Where a name resolves to several addresses, Node throws an aggregate of errors that has no message of its own.
  const why = [code, message].filter(Boolean).join(', ');
  const [, remedy] =
    REMEDIES.find(([pattern]) => pattern.test(code)) ?? CODELESS.find(([pattern]) => pattern.test(message)) ?? [];
  return [`DATABASE_URL: the database ${database} at ${where} can't be reached as user ${user} (${why}).`, remedy]
    .filter(Boolean)
    .join(' ');
};
