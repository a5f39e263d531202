/** .env.example names exactly the variables there are, with their defaults; and wrong values are all told at once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Environment, readConfig, readDatabaseConfig } from '../../src/process/config.ts';

const example = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');
/** Set or commented out, a variable stands at the start of a line. */
const named = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map((m) => ({
  name: m[1] as string,
  value: m[2] as string,
}));

/** Read by docker-compose.yml alone. */
const COMPOSE_ONLY = ['POSTGRES_PASSWORD'];

describe('.env.example', () => {
  test('names every variable once, and none that is not read', () => {
    const names = named.map((v) => v.name).filter((n) => !COMPOSE_ONLY.includes(n));
    expect(names.toSorted()).toEqual(Object.keys(Environment.shape).toSorted());
  });

  test('shows the defaults', () => {
    const defaults = readConfig({});
    for (const { name, value } of named) {
      const actual = (defaults as Record<string, string | number | boolean | string[] | undefined>)[name];
      if (actual === undefined || Array.isArray(actual)) continue;
      expect(`${name}=${value}`).toBe(`${name}=${String(actual)}`);
    }
  });
});

describe('the password of the database', () => {
  const secret = { JWT_SECRET: 'x'.repeat(32) };
  const passwordOf = (url: string | undefined) => new pg.Client({ connectionString: url as string }).password;

  test('may have any characters in PGPASSWORD, for the service and for commands', () => {
    for (const PGPASSWORD of ['p@ss:w/o?r#d', '100%25 $HOME', 'é\u{1F511}"\'\\', 'plain']) {
      const env = { DATABASE_URL: 'postgres://almanac@postgres:5432/almanac', PGPASSWORD, ...secret };
      for (const { DATABASE_URL } of [readConfig(env), readDatabaseConfig(env)]) {
        expect(passwordOf(DATABASE_URL)).toBe(PGPASSWORD);
        expect(new pg.Client({ connectionString: DATABASE_URL as string }).host).toBe('postgres');
      }
    }
  });

  test('is that of the URL where it has one, and of neither where there is none', () => {
    const own = { DATABASE_URL: 'postgres://a:b%40c@h/d', PGPASSWORD: 'other', ...secret };
    expect(readConfig(own).DATABASE_URL).toBe(own.DATABASE_URL);
    expect(readConfig({ DATABASE_URL: 'postgres://a@h/d', ...secret }).DATABASE_URL).toBe('postgres://a@h/d');
  });

  test('is in no address of docker-compose.yml, where @ in it would name another host', () => {
    const { services } = parse(readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8'));
    const { DATABASE_URL, PGPASSWORD } = services.almanac.environment as Record<string, string>;
    expect(DATABASE_URL).not.toContain('POSTGRES_PASSWORD');
    expect(PGPASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?.+\}$/);
    expect(services.postgres.environment.POSTGRES_PASSWORD).toBe(PGPASSWORD);
    const env = { DATABASE_URL, PGPASSWORD: 'p@ss', ...secret } as Record<string, string>;
    expect(passwordOf(readConfig(env).DATABASE_URL)).toBe('p@ss');
  });
});

describe('configuration', () => {
  test('names every wrong variable in one go, and no value', () => {
    const start = () =>
      readConfig({
        PORT: 'eighty',
        LOG_LEVEL: 'loud',
        DATABASE_URL: 'postgres://u:hunter2@h/db',
        OWNER_PASSWORD: 'short',
      });
    expect(start).toThrow(/PORT[\s\S]*OWNER_PASSWORD[\s\S]*LOG_LEVEL[\s\S]*JWT_SECRET: is required with DATABASE_URL/);
    expect(start).not.toThrow(/hunter2|short\b/);
  });

  test('an embedding model needs somewhere to be asked', () => {
    expect(() => readConfig({ OPENAI_EMBEDDING_MODEL: 'm' })).toThrow(
      /OPENAI_EMBEDDING_MODEL: requires OPENAI_API_KEY/,
    );
    expect(readConfig({ OPENAI_EMBEDDING_MODEL: 'm', OPENAI_API_KEY: 'k' }).OPENAI_EMBEDDING_MODEL).toBe('m');
  });

  test('several processes need a database that several can use', () => {
    expect(() => readConfig({ WORKERS: '2' })).toThrow(/WORKERS: must be 1 without DATABASE_URL/);
    const shared = { DATABASE_URL: 'postgres://127.0.0.1/x', JWT_SECRET: 'x'.repeat(32) };
    expect(readConfig({ ...shared, WORKERS: '2' }).WORKERS).toBe(2);
    expect(readConfig({ WORKERS: '1' }).WORKERS).toBe(1);
    expect(() => readConfig({ ...shared, WORKERS: '0', DRAIN_SECONDS: '60' })).toThrow(/WORKERS[\s\S]*DRAIN_SECONDS/);
  });

  test.each<[string, string, RegExp]>([
    ['JWT_SECRET', 'x'.repeat(31), /JWT_SECRET: must have at least 32 characters/],
    ['JWT_SECRET', ' '.repeat(40), /JWT_SECRET: must have at least 32 characters/],
    ['OWNER_API_KEY', 'x'.repeat(31), /OWNER_API_KEY: must have at least 32 characters/],
    ['OWNER_API_KEY', `${'x'.repeat(31)} y`, /OWNER_API_KEY: must have printable ASCII characters only, and no spaces/],
    ['OWNER_API_KEY', `${'x'.repeat(31)}é`, /OWNER_API_KEY: must have printable ASCII characters only/],
    ['OWNER_API_KEY', `${'x'.repeat(31)}.y.z`, /OWNER_API_KEY: must not look like a login token/],
    ['OWNER_API_KEY', `alm_user_${'0'.repeat(16)}_${'0'.repeat(46)}`, /OWNER_API_KEY: must not look like/],
    ['METRICS_TOKEN', 'a token with spaces', /METRICS_TOKEN: must have printable ASCII characters only/],
    ['OWNER_PASSWORD', 'é'.repeat(37), /OWNER_PASSWORD: must be 10 to 72 bytes/],
  ])('%s that nobody could use, or that is short, stops the start: %s', (name, value, told) => {
    expect(() => readConfig({ [name]: value })).toThrow(told);
    expect(() => readConfig({ [name]: value })).not.toThrow(value);
  });

  test('takes empty strings for unset', () => {
    expect(readConfig({ PORT: '', OWNER_EMAIL: '' })).toMatchObject({ PORT: 8080, OWNER_EMAIL: undefined });
  });

  test('an origin that no browser would send stops the start, with the one that is meant', () => {
    const remedies = {
      'localhost:5173': 'http://localhost:5173',
      '127.0.0.1:5173': 'http://127.0.0.1:5173',
      'app.example.org': 'https://app.example.org',
      'https://app.example.org/': 'https://app.example.org',
      'https://app.example.org/calendar?x=1': 'https://app.example.org',
      'HTTPS://App.Example.org:443': 'https://app.example.org',
      'https://me:secret@app.example.org': 'https://app.example.org',
    };
    for (const [given, meant] of Object.entries(remedies))
      expect(() => readConfig({ CORS_ORIGINS: `https://right.example, ${given}` })).toThrow(
        `CORS_ORIGINS: entry 2 must be an origin, scheme://host[:port]; write ${meant} (`,
      );
    for (const given of ['null', 'https://', 'http://a b', 'https://*.example.org'])
      expect(() => readConfig({ CORS_ORIGINS: given })).toThrow();
    const right = [
      'http://localhost:5173',
      'https://app.example.org',
      'chrome-extension://abcdefgh',
      'http://[::1]:3000',
    ];
    expect(readConfig({ CORS_ORIGINS: right.join(', ') }).CORS_ORIGINS).toEqual(right);
    expect(readConfig({ CORS_ORIGINS: '*' }).CORS_ORIGINS).toEqual(['*']);
  });

  test('commands read where the database is, and nothing that only serving needs', () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1/x', PORT: 'eighty', CORS_ORIGINS: 'localhost:5173' };
    expect(() => readConfig(env)).toThrow(/PORT[\s\S]*CORS_ORIGINS[\s\S]*JWT_SECRET/);
    expect(readDatabaseConfig(env)).toMatchObject({ DATABASE_URL: env.DATABASE_URL, PORT: 8080, CORS_ORIGINS: [] });
    expect(() => readDatabaseConfig({ ...env, DATABASE_POOL: '1' })).toThrow(/DATABASE_POOL/);
  });
});
