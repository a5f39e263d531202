/**
 * Reads the environment once into a frozen object and reports every bad variable in one message. `.env.example` lists the same
 * keys.
 */
import { z } from 'zod';
import { parse } from '../common/fault-text.ts';
import { isUsableKey } from '../domain/access/api-key-format.ts';
import { isZone } from '../domain/time/time.ts';
import { isNetwork } from '../outbound/reachable-addresses.ts';
import { NewPassword } from '../user/schemas.ts';
import { zoneFault } from '../domain/time/zone-suggestions.ts';

const NO_NETWORKS = 'none';
const networks = z
  .string()
  .transform((v) => (v === NO_NETWORKS ? [] : v.split(',').map((one) => one.trim())))
  .superRefine((entries, context) => {
    for (const [i, entry] of entries.entries())
      if (!isNetwork(entry))
        context.addIssue({
          code: 'custom',
          message: `entry ${i + 1} must be a network in CIDR notation, such as 10.0.0.0/8`,
        });
  });

const flag = z
  .enum(['true', 'false', '1', '0', ''])
  .default('false')
  .transform((v) => v === 'true' || v === '1');
const port = z.coerce.number().int().min(0).max(65_535);
const url = (protocols: RegExp) => z.url({ protocol: protocols, hostname: /.*/ });
/** The address of a service of HTTP, to which paths are added. */
const baseUrl = () => url(/^https?$/).transform((address) => address.replace(/(?<!\/)\/+$/, ''));

/** Returns what a browser would send as Origin from that address (RFC 6454 §6.1), or null where it is no address. */
const originOf = (address: string): string | null => {
  const parsed = URL.parse(address);
  if (!parsed?.host) return null;
  // For a scheme that URL does not know (of an app or an extension), the standard gives no origin, but browsers send one.
  return parsed.origin === 'null' ? `${parsed.protocol}//${parsed.host}` : parsed.origin;
};

/** Guesses the origin that was meant. */
const likelyOrigin = (entry: string): string | null => {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) return originOf(entry);
  return originOf(`${/^(localhost|127\.|\[::1\])/.test(entry) ? 'http' : 'https'}://${entry}`);
};

/** Origins are compared with the header as text, so an entry in another form would never match, without any error. */
const origins = z
  .string()
  .default('')
  .transform((v) =>
    v
      .split(',')
      .map((o) => o.trim())
      .filter(Boolean),
  )
  .superRefine((entries, context) => {
    for (const [i, entry] of entries.entries()) {
      if (entry === '*' || (originOf(entry) === entry && !entry.includes('*'))) continue;
      const likely = likelyOrigin(entry);
      const remedy = likely ? `; write ${likely}` : '';
      context.addIssue({ code: 'custom', message: `entry ${i + 1} must be an origin, scheme://host[:port]${remedy}` });
    }
  });

/** Spaces around a secret do not count, so that a variable of spaces is none. */
const secret = (least: number) =>
  z
    .string()
    .refine((v) => v.trim().length >= least, `must have at least ${least} characters, without spaces around them`);

/** Credentials come in the Authorization header, which can carry neither spaces nor other letters (RFC 6750 §2.1). */
const bearerSecret = (least: number) =>
  secret(least).regex(/^[\x21-\x7e]*$/, 'must have printable ASCII characters only, and no spaces');

/** The environment variables (docs/decisions.md, Configuration is read once). An empty string counts as unset. */
export const Environment = z.object({
  PORT: port.default(8080).describe('the TCP port to listen on; 0 means any free port'),
  HOST: z.string().default('127.0.0.1').describe('the address to listen on; 0.0.0.0 means every interface'),
  DATABASE_URL: url(/^postgres(ql)?$/)
    .optional()
    .describe('Postgres 15 or newer; unset = embedded Postgres in DATA_DIR'),
  PGPASSWORD: z.string().optional().describe('the password for DATABASE_URL, where that has none'),
  DATA_DIR: z
    .string()
    .default('.almanac')
    .describe('the directory of the embedded database and of the secrets that Almanac generates for it'),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe('the number of connections to DATABASE_URL in each process'),
  OWNER_EMAIL: z.email().optional().describe('the e-mail address of the account that the first start makes'),
  OWNER_PASSWORD: NewPassword.optional().describe(
    'the password of that account, 10 to 72 bytes; unset = generated, and shown once: on a terminal, else in first-start.txt in DATA_DIR',
  ),
  OWNER_API_KEY: bearerSecret(32)
    .refine(isUsableKey, 'must not look like a login token (two dots) or like an API key that was copied in part')
    .optional()
    .describe(
      'the API key of that account, at least 32 characters; unset = generated, and shown once: on a terminal, else in first-start.txt in DATA_DIR',
    ),
  OWNER_TIMEZONE: z
    .string()
    .refine(isZone, { error: ({ input }) => zoneFault(String(input)) })
    .optional()
    .describe('the time zone of that account, an IANA name such as Europe/Berlin; unset = that of the machine'),
  JWT_SECRET: secret(32)
    .optional()
    .describe('the secret that signs tokens, at least 32 characters; required with DATABASE_URL'),
  USER_STORAGE_MB: z.coerce
    .number()
    .min(0)
    .max(1e9)
    .default(0)
    .describe(
      'the megabytes that the documents of an account may have, unless the account has a limit of its own; 0 = no limit',
    ),
  ALLOW_REGISTRATION: flag.describe('true opens POST /user/register'),
  OPENAI_API_KEY: z.string().optional().describe('the key of the model; it switches the model planner on'),
  OPENAI_BASE_URL: url(/^https?$/)
    .optional()
    .describe('the URL of an OpenAI-compatible endpoint; it switches the model planner on'),
  OPENAI_MODEL: z.string().default('gpt-5-mini').describe('the chat model'),
  OPENAI_EMBEDDING_MODEL: z
    .string()
    .optional()
    .describe('the embedding model at that endpoint, for semantic search; unset = the built-in embedder'),
  OPENAI_TIMEOUT_SECONDS: z.coerce
    .number()
    .positive()
    .max(300)
    .default(20)
    .describe('the number of seconds after which the built-in planner answers instead of the model'),
  OPENAI_REASONING_EFFORT: z
    .string()
    .regex(/^[a-z]{1,20}$/, 'must be a word, such as low')
    .optional()
    .describe('how much a reasoning model thinks, such as minimal, low or high; unset = as the endpoint does'),
  OPENAI_MAX_COMPLETION_TOKENS: z.coerce
    .number()
    .int()
    .min(256)
    .max(1_000_000)
    .optional()
    .describe('the most tokens of an answer, with what the model thinks; unset = as the endpoint does'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SUMMARY_CACHE_MINUTES: z.coerce
    .number()
    .min(0)
    .max(1440)
    .default(20)
    .describe('the number of minutes for which summary exports are cached; 0 = off'),
  RATE_LIMIT_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(0)
    .default(1200)
    .describe('the number of requests that a credential may send in a minute; 0 = no limit'),
  CORS_ORIGINS: origins.describe('the origins of browser front ends, separated by commas; * = any'),
  WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('the number of processes that share the port, about one per core; more than one needs DATABASE_URL'),
  DRAIN_SECONDS: z.coerce
    .number()
    .min(0)
    .max(6)
    .default(0)
    .describe(
      'the number of seconds after SIGTERM in which the service still answers but is not ready, so that load balancers notice',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl()
    .optional()
    .describe(
      'the OpenTelemetry collector (OTLP over HTTP) for traces, such as http://127.0.0.1:4318; unset = no traces',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('the share of the traces that are sent, 0 to 1'),
  METRICS_TOKEN: bearerSecret(16)
    .optional()
    .describe('the bearer token for GET /metrics; the scope debug:read works too'),
  OUTBOUND_NETWORKS: networks
    .optional()
    .describe(
      'the networks in CIDR notation, separated by commas, that webhooks and calendar sources may reach besides public addresses, by http too; none = none; unset = loopback with the embedded database while registration is closed and there is one account, else none',
    ),
  PUBLIC_URL: baseUrl()
    .optional()
    .describe(
      'the address that browsers have: links in feeds and invitations lead to it, and its pages may sign in, open sockets and call /mcp; unset = the address of the request',
    ),
  TRUST_PROXY: z
    .enum(['true', 'false', ...Array.from({ length: 10 }, (_, n) => String(n))])
    .default('0')
    .transform((v) => Number(v === 'true' ? 1 : v === 'false' ? 0 : v))
    .describe('the number of reverse proxies, each of which appends to X-Forwarded-For; true = 1'),
});

export type Config = Readonly<z.infer<typeof Environment>>;

type Variables = Record<string, string | undefined>;

/** Checks what serving requires of several variables together; a variable that is wrong by itself is missing here. */
const servingFaults = (given: Partial<Config>, named: ReadonlySet<string>): string[] => {
  const faults: string[] = [];
  if (given.DATABASE_URL && !named.has('JWT_SECRET'))
    faults.push(
      '  JWT_SECRET: is required with DATABASE_URL, so that every instance accepts the same tokens (try: openssl rand -hex 32)',
    );
  if ((given.WORKERS ?? 1) > 1 && !named.has('DATABASE_URL'))
    faults.push('  WORKERS: must be 1 without DATABASE_URL, because the embedded database allows one process');
  if (given.OPENAI_EMBEDDING_MODEL && !named.has('OPENAI_API_KEY') && !named.has('OPENAI_BASE_URL'))
    faults.push('  OPENAI_EMBEDDING_MODEL: requires OPENAI_API_KEY or OPENAI_BASE_URL, which name the endpoint');
  return faults;
};

/** An address with the password in it, so that everything that connects has it. Any characters are possible (RFC 3986 §2.1). */
const withPassword = (address: string, password: string | undefined): string => {
  const url = new URL(address);
  if (!password || url.password) return address;
  url.password = encodeURIComponent(password);
  return url.href;
};

type Fault = string;

const read = (
  env: Variables,
  names: string[],
  furtherFaults: (given: Partial<Config>, named: ReadonlySet<string>) => Fault[],
): Config => {
  const given = Object.fromEntries(names.map((k) => [k, env[k] === '' ? undefined : env[k]]));
  const read: Partial<Config> = {};
  const faults: Fault[] = [];
  // Each variable is read by itself, so that what is checked of several together is what the service uses.
  for (const [name, shape] of Object.entries(Environment.shape)) {
    const parsed = parse(shape, given[name]);
    if (parsed.success) Object.assign(read, { [name]: parsed.data });
    else
      faults.push(
        ...parsed.error.issues.map(({ message }) => `  ${name}: ${message} (${shape.description ?? 'see README'})`),
      );
  }
  faults.push(...furtherFaults(read, new Set(names.filter((name) => given[name] !== undefined))));
  if (faults.length) throw new Error(`Almanac cannot start, because these variables are wrong:\n${faults.join('\n')}`);
  if (read.DATABASE_URL) Object.assign(read, { DATABASE_URL: withPassword(read.DATABASE_URL, read.PGPASSWORD) });
  return Object.freeze(read as Config);
};

/** Reads the configuration of the service. @throws Error whose message names every bad variable */
export const readConfig = (env: Variables): Config => read(env, Object.keys(Environment.shape), servingFaults);

/**
 * Reads which database to use, and what else a command needs. All other variables have their defaults, whatever the environment
 * says.
 */
export const readDatabaseConfig = (env: Variables, further: readonly (keyof Config)[] = []): Config =>
  read(env, ['DATABASE_URL', 'PGPASSWORD', 'DATA_DIR', 'DATABASE_POOL', ...further], () => []);
