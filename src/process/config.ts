/**
 * Reads the environment once into a frozen object and reports every bad variable in one message. `.env.example` lists the same
 * keys.
 */
import { z } from 'zod';
import { parse } from '../common/fault-text.ts';
import { isZone } from '../domain/time/time.ts';
import { zoneFault } from '../domain/time/zone-suggestions.ts';

const flag = z
  .enum(['true', 'false', '1', '0', ''])
  .default('false')
  .transform((v) => v === 'true' || v === '1');
const port = z.coerce.number().int().min(0).max(65_535);
const url = (protocols: RegExp) => z.url({ protocol: protocols, hostname: /.*/ });

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
      context.addIssue({ code: 'custom', message: `entry ${i + 1} is not an origin, scheme://host[:port]${remedy}` });
    }
  });

/** The environment variables (docs/decisions.md, Configuration is read once). An empty string counts as unset. */
export const Environment = z.object({
  PORT: port.default(8080).describe('TCP port to listen on; 0 picks a free one'),
  HOST: z.string().default('127.0.0.1').describe('address to listen on; 0.0.0.0 for every interface'),
  DATABASE_URL: url(/^postgres(ql)?$/)
    .optional()
    .describe('Postgres 15 or newer; unset = embedded Postgres in DATA_DIR'),
  DATA_DIR: z
    .string()
    .default('.almanac')
    .describe('directory of the embedded database and the secrets made up for it'),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe('connections per process to DATABASE_URL'),
  OWNER_EMAIL: z.email().optional().describe('account made at first start'),
  OWNER_PASSWORD: z
    .string()
    .min(10)
    .optional()
    .describe('its password, 10 to 72 bytes; made up and printed once when unset'),
  OWNER_API_KEY: z
    .string()
    .min(32)
    .optional()
    .describe('its API key, at least 32 characters; made up and printed once when unset'),
  OWNER_TIMEZONE: z
    .string()
    .refine(isZone, { error: ({ input }) => zoneFault(String(input)) })
    .optional()
    .describe('its time zone, an IANA name such as Europe/Berlin; the machine’s when unset'),
  JWT_SECRET: z.string().min(32).optional().describe('at least 32 characters; required with DATABASE_URL'),
  ALLOW_REGISTRATION: flag.describe('true opens POST /user/register'),
  OPENAI_API_KEY: z.string().optional().describe('switches the model planner on'),
  OPENAI_BASE_URL: url(/^https?$/)
    .optional()
    .describe('any OpenAI-compatible endpoint; switches the model planner on'),
  OPENAI_MODEL: z.string().default('gpt-5-mini').describe('chat model'),
  OPENAI_EMBEDDING_MODEL: z
    .string()
    .optional()
    .describe('embedding model at that endpoint, for semantic search; unset = the built-in embedder'),
  OPENAI_TIMEOUT_SECONDS: z.coerce
    .number()
    .positive()
    .max(300)
    .default(20)
    .describe('patience with the model before the built-in planner answers'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SUMMARY_CACHE_MINUTES: z.coerce
    .number()
    .min(0)
    .max(1440)
    .default(20)
    .describe('lifetime of cached summary exports; 0 = off'),
  RATE_LIMIT_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(0)
    .default(1200)
    .describe('requests per credential and minute; 0 = off'),
  CORS_ORIGINS: origins.describe('comma-separated origins of browser front ends; * = any'),
  WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('processes that share the port, about one per core; more than one needs DATABASE_URL'),
  DRAIN_SECONDS: z.coerce
    .number()
    .min(0)
    .max(6)
    .default(0)
    .describe(
      'after SIGTERM: how long to serve on, being not ready, before stopping; for load balancers that look every so often',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/)
    .optional()
    .describe('OpenTelemetry collector (OTLP over HTTP) for traces, e.g. http://127.0.0.1:4318; unset = no traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('share of the traces that are kept, 0 to 1'),
  METRICS_TOKEN: z.string().min(16).optional().describe('bearer token for GET /metrics, beside scope debug:read'),
  PUBLIC_URL: url(/^https?$/)
    .transform((v) => v.replace(/\/+$/, ''))
    .optional()
    .describe('address at which people reach the service, for links in feeds; unset = as the request was addressed'),
  TRUST_PROXY: z
    .enum(['true', 'false', ...Array.from({ length: 10 }, (_, n) => String(n))])
    .default('0')
    .transform((v) => Number(v === 'true' ? 1 : v === 'false' ? 0 : v))
    .describe('reverse proxies in front, each of which appends to X-Forwarded-For; 0 = none, true = 1'),
});

export type Config = Readonly<z.infer<typeof Environment>>;

type Variables = Record<string, string | undefined>;

/** Checks what serving requires of several variables together. */
const servingFaults = (given: Variables): string[] => {
  const faults: string[] = [];
  if (given['DATABASE_URL'] && !given['JWT_SECRET'])
    faults.push(
      '  JWT_SECRET: required with DATABASE_URL, so that every instance and restart accepts the same tokens (try: openssl rand -hex 32)',
    );
  if (Number(given['WORKERS'] ?? 1) > 1 && !given['DATABASE_URL'])
    faults.push('  WORKERS: more than one needs DATABASE_URL, since the embedded database takes one process');
  if (given['OPENAI_EMBEDDING_MODEL'] && !given['OPENAI_API_KEY'] && !given['OPENAI_BASE_URL'])
    faults.push('  OPENAI_EMBEDDING_MODEL: needs OPENAI_API_KEY or OPENAI_BASE_URL, to know where to ask');
  if (given['OWNER_PASSWORD'] && Buffer.byteLength(given['OWNER_PASSWORD']) > 72)
    faults.push('  OWNER_PASSWORD: longer than 72 bytes, which bcrypt would cut');
  return faults;
};

const read = (env: Variables, names: string[], furtherFaults: (given: Variables) => string[]): Config => {
  const given = Object.fromEntries(names.map((k) => [k, env[k] === '' ? undefined : env[k]]));
  const parsed = parse(Environment, given);
  const faults = parsed.success
    ? []
    : parsed.error.issues.map(
        (i) =>
          `  ${String(i.path[0])}: ${i.message} (${Environment.shape[i.path[0] as 'PORT'].description ?? 'see README'})`,
      );
  faults.push(...furtherFaults(given));
  if (!parsed.success || faults.length)
    throw new Error(`Cannot start, these variables are wrong:\n${faults.join('\n')}`);
  return Object.freeze(parsed.data);
};

/** Reads the configuration of the service. @throws Error whose message names every bad variable */
export const readConfig = (env: Variables): Config => read(env, Object.keys(Environment.shape), servingFaults);

/** Reads only which database to use, for commands. All other variables have their defaults, whatever the environment says. */
export const readDatabaseConfig = (env: Variables): Config =>
  read(env, ['DATABASE_URL', 'DATA_DIR', 'DATABASE_POOL'], () => []);
