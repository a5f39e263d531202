/** Explains to the operator why the database at DATABASE_URL can't be used. The explanation never includes the password. */
import pg from 'pg';

/** What the operator should do, by SQLSTATE or by the code of Node's socket or TLS; the first match applies. */
const REMEDIES: [code: RegExp, remedy: string][] = [
  [/^(ECONNREFUSED|ENOENT)/, 'No Postgres answers at this address. Start it, or correct the host and the port.'],
  [/^(ENOTFOUND|EAI_AGAIN)/, 'The host name is unknown. Correct it.'],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/,
    'Nothing answers at this address. Correct the host, or allow the connection in the firewall.',
  ],
  [/^28P01/, 'Correct the user or the password.'],
  [/^28/, 'Correct the user, or allow it in pg_hba.conf. If Postgres requires encryption, add sslmode=require.'],
  [/^3D000/, 'Create the database (createdb), or correct its name.'],
  [
    /^08P01/,
    'The connection pooler refuses it. Correct the user, password and database as they are in its configuration.',
  ],
  [/^53300/, 'Postgres has no free connection. Raise max_connections, or lower DATABASE_POOL.'],
  [/^57P03/, 'Postgres is starting or stopping. Try again in a moment.'],
  [
    /CERT|^UNABLE_TO|^ERR_TLS/,
    'The certificate of Postgres is not trusted. Name the right one with sslrootcert=, or correct sslmode.',
  ],
];
/** node-postgres gives these errors no code. */
const CODELESS: [message: RegExp, remedy: string][] = [
  [/does not support SSL/, 'Postgres does not support encrypted connections. Correct sslmode.'],
  [/SASL|password must be a string/, 'Postgres requires a password. Put it into DATABASE_URL.'],
  [/timeout/, 'Nothing answers at this address. Correct the host, or allow the connection in the firewall.'],
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
  return [`DATABASE_URL: the database ${database} at ${where} cannot be reached as user ${user} (${why}).`, remedy]
    .filter(Boolean)
    .join(' ');
};
