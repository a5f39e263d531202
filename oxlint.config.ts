/**
 * Lint: what is a fault everywhere, and the import wall. The wall lists for each folder of src what its files may import;
 * everything else is refused, static or dynamic. test/domain/import-wall.test.ts plants imports that it must refuse.
 */
import { dirname, relative } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { defineConfig, type OxlintOverride } from 'oxlint';

const NODE = ['node:*', 'node:*/*'];

/** http and its subfolders, which import each other freely. */
const HTTP = [
  'http',
  ...['body', 'connection', 'idempotency', 'openapi', 'pages', 'problems'].map((one) => `http/${one}`),
];

/** The lower folders: the folders of src and the packages that each may import. From below to above; plan and record form one layer. */
export const LOWER: Record<string, { folders: string[]; packages: string[] }> = {
  'domain/text': { folders: [], packages: ['gpt-tokenizer/**', 'node:module', 'node:fs', 'node:path'] },
  'domain/time': { folders: ['domain/text'], packages: [] },
  'domain/access': { folders: [], packages: ['node:crypto'] },
  // A plan is a trace with more fields, so the types of these two need each other.
  'domain/plan': { folders: ['domain/time', 'domain/record'], packages: ['zod'] },
  'domain/record': {
    folders: ['domain/text', 'domain/time', 'domain/access', 'domain/plan'],
    packages: ['canonicalize', 'node:crypto', 'zod'],
  },
  'domain/calendar': { folders: ['domain/time', 'domain/record'], packages: ['node:crypto', 'zod'] },
  'domain/calendar/ics': {
    folders: ['domain/time', 'domain/calendar'],
    packages: ['ical.js', 'ical-generator', 'node:buffer', 'node:crypto'],
  },
  // The parts of the planner: words and times know nothing of acts, and acts nothing of proposals.
  'domain/planner': { folders: [], packages: [] },
  'domain/planner/words': { folders: ['domain/planner/intents'], packages: [] },
  'domain/planner/time': { folders: ['domain/planner/words', 'domain/text', 'domain/time'], packages: [] },
  'domain/planner/act': {
    folders: ['domain/planner', 'domain/planner/words', 'domain/planner/time', 'domain/time'],
    packages: [],
  },
  'domain/planner/dialogue': {
    folders: ['domain/planner', 'domain/planner/act', 'domain/planner/time', 'domain/planner/words'],
    packages: [],
  },
  'domain/planner/replies': { folders: ['domain/planner/intents', 'domain/planner/words'], packages: [] },
  'domain/planner/questions': {
    folders: [
      ...['domain/planner', 'domain/planner/intents', 'domain/planner/roles', 'domain/planner/time'],
      ...['domain/planner/words', 'domain/time'],
    ],
    packages: [],
  },
  'domain/planner/intents': {
    folders: [
      ...['domain/planner', 'domain/planner/act', 'domain/planner/dialogue', 'domain/planner/questions'],
      ...['domain/planner/replies', 'domain/planner/roles', 'domain/planner/time', 'domain/planner/words'],
      ...['domain/calendar', 'domain/plan', 'domain/text', 'domain/time'],
    ],
    packages: [],
  },
  'domain/planner/roles': {
    folders: ['domain/planner', 'domain/text'],
    packages: ['node:fs', 'node:path', 'node:zlib'],
  },
  common: { folders: ['domain/*'], packages: ['zod', 'node:async_hooks', 'node:timers/promises'] },
  db: {
    folders: ['domain/*', 'common'],
    packages: ['pg', 'kysely', 'kysely/*', '@electric-sql/**', 'lru-cache', ...NODE],
  },
  'db/copy': { folders: ['domain/*', 'common', 'db'], packages: ['kysely', 'zod', ...NODE] },
  observability: {
    folders: ['domain/*', 'common', 'db'],
    packages: ['@opentelemetry/**', 'pino', 'prom-client', 'kysely', ...NODE, '../../package.json'],
  },
  ledger: { folders: ['domain/*', 'common', 'db'], packages: ['kysely', 'lru-cache'] },
  llm: { folders: ['domain/*', 'observability'], packages: ['openai', 'zod', ...NODE] },
  outbound: { folders: [], packages: ['ipaddr.js', ...NODE] },
  ...Object.fromEntries(
    HTTP.map((folder) => [
      folder,
      {
        folders: ['domain/*', 'common', 'db', 'observability', ...HTTP.filter((one) => one !== folder)],
        packages: [
          'express',
          'cors',
          'helmet',
          'pino-http',
          'rate-limiter-flexible',
          'yaml',
          'yauzl',
          'zod',
          'kysely',
          'lru-cache',
          ...NODE,
        ],
      },
    ]),
  ),
  console: { folders: HTTP, packages: ['rolldown', ...NODE] },
};

/**
 * The features. Each may import what BELOW lists. `folders` are its subfolders, whose files import each other freely. `from` names
 * the files of other features and of llm that it may import too: these files are all that a feature offers to others. Only routes
 * and schemas import http; `http` names the other files that may, with what they take from it.
 */
type Feature = { folders?: string[]; from: string[]; packages: string[]; http?: Record<string, string[]> };
export const FEATURES: Record<string, Feature> = {
  user: {
    from: [],
    packages: ['kysely', 'bcrypt', 'jsonwebtoken', 'rate-limiter-flexible', 'lru-cache', 'zod'],
  },
  tempo: { from: ['user/authenticate', 'user/profile'], packages: ['kysely'] },
  calendar: {
    folders: ['events', 'ics', 'objects', 'sources'],
    from: ['outbound/guarded-fetch', 'tempo/service', 'user/authenticate'],
    packages: ['kysely'],
  },
  memory: {
    folders: ['embeddings', 'search'],
    from: ['user/profile', 'llm/models', 'llm/embedding-model', 'llm/model-summaries'],
    packages: ['kysely', 'lru-cache'],
  },
  agent: {
    folders: ['decide', 'feed', 'place', 'prompt', 'propose', 'undo'],
    from: [
      ...[
        'calendar/ics/feed-routes',
        'calendar/ics/feed',
        'calendar/ics/import',
        'calendar/objects/objects',
        'calendar/schemas',
      ],
      ...[
        'calendar/plan-port',
        'calendar/service',
        'calendar/slot-taken',
        'memory/plan-port',
        'memory/schemas',
        'memory/search/search',
        'memport/plan-port',
      ],
      ...['tempo/patched-tempo', 'tempo/service', 'user/authenticate', 'user/plan-port', 'user/profile'],
      ...['user/schemas', 'llm/model-planner'],
    ],
    packages: ['kysely', 'jsonwebtoken'],
    http: { 'feed/decision-page': ['pages/html', 'pages/tokens'], 'named-plans': ['preconditions', 'route'] },
  },
  chat: {
    from: [
      ...['agent/prompt/planner', 'agent/reading-schemas', 'agent/service', 'agent/schemas', 'calendar/schemas'],
      'calendar/service',
      ...[
        'memory/schemas',
        'memory/search/search',
        'memory/service',
        'tempo/service',
        'user/profile',
        'llm/model-prose',
      ],
    ],
    packages: ['kysely'],
  },
  // An export reads traces and events as of a seq, by the queries of memory and the timeline of calendar.
  memport: {
    folders: ['archive', 'export'],
    from: [
      ...['calendar/ics/feed', 'calendar/in-transaction', 'calendar/schemas', 'calendar/timeline'],
      ...['memory/queries', 'memory/schemas', 'user/schemas'],
    ],
    packages: ['kysely', 'lru-cache', 'yazl'],
  },
  live: {
    from: ['calendar/schemas', 'memory/schemas'],
    packages: ['kysely', 'ws'],
    http: {
      'socket-server': [
        'connection/address',
        'connection/client-address',
        'mount',
        'connection/origins',
        'connection/page',
        'perform',
        'problems/json',
        'rate-limit',
        'connection/refuse',
        'request-id',
      ],
      socket: ['mount', 'problems/json'],
    },
  },
  webhooks: {
    from: ['live/changes', 'live/schemas', 'outbound/guarded-fetch', 'user/api-keys'],
    packages: ['kysely', 'standardwebhooks'],
  },
  system: { from: [], packages: ['kysely'], http: { docs: ['pages/html', 'openapi/document'] } },
};
/**
 * Protocols beside REST. Each turns its messages into calls of the routes or of the services behind them, so it may import http. `from` names
 * the files of features that it may import.
 */
export const PROTOCOLS: Record<string, { from: string[]; packages: string[] }> = {
  mcp: {
    from: [
      'agent/schemas',
      'agent/status-schemas',
      'calendar/schemas',
      'memory/schemas',
      'memport/schemas',
      'user/schemas',
    ],
    packages: ['@modelcontextprotocol/server', 'zod'],
  },
  dav: {
    from: [
      'agent/feed/objects',
      'calendar/freebusy',
      'calendar/objects/objects',
      'calendar/sources/sources',
      'user/schemas',
    ],
    packages: ['saxes', 'zod'],
  },
};
const BELOW = ['domain/*', 'common', 'db', 'ledger', 'observability'];
const BELOW_ROUTES = ['domain/*', 'common', 'ledger', 'observability', ...HTTP];
/** Files of a feature that know HTTP. */
const ROUTES = '{*-,}{routes,schemas}.ts';

/** One whitelist. `allowed` are patterns of import texts; each file of src gets exactly one such rule. `above` are files more than one folder higher. */
const wall = (files: string, allowed: string[], excludeFiles: string[] = [], above: string[] = []): OxlintOverride => ({
  files: [files],
  excludeFiles,
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            // The last two close the way out through an allowed folder, as in ../domain/../process/app.ts.
            group: [
              '**',
              '!./*.ts',
              ...allowed.map((one) => `!${one}`),
              '../*/../**',
              './**/../**',
              ...above.map((one) => `!${one}`),
            ],
            message: `${files} may not import this. What it may import is listed in oxlint.config.ts.`,
          },
        ],
      },
    ],
  },
});

const filesOf = (folder: string, targets: string[]): string[] =>
  targets.map((target) => `${relative(`src/${folder}`, `src/${target}`)}.ts`.replace(/^(?!\.)/, './'));
const foldersOf = (folder: string, targets: string[]): string[] =>
  targets.flatMap((target) => filesOf(folder, [`${target}/*`, ...(target === 'domain/*' ? ['domain/*/*/*'] : [])]));

const lower = Object.entries(LOWER).map(([folder, { folders, packages }]) =>
  wall(`src/${folder}/*.ts`, [...foldersOf(folder, folders), ...packages]),
);
/** A feature and its subfolders, from src. */
export const placesOf = (feature: string): string[] => [
  feature,
  ...(FEATURES[feature]?.folders ?? []).map((one) => `${feature}/${one}`),
];
const features = Object.entries(FEATURES).flatMap(([feature, { from, packages, http = {} }]) =>
  placesOf(feature).flatMap((folder) => {
    const own = placesOf(feature).filter((one) => one !== folder);
    const others = [...foldersOf(folder, own), ...filesOf(folder, from)];
    const allowed = [...foldersOf(folder, BELOW), ...others, ...packages, ...NODE];
    const special = Object.entries(http)
      .map(([file, targets]) => [`${feature}/${file}`, targets.map((one) => `http/${one}`)] as const)
      .filter(([file]) => dirname(file) === folder)
      .map(([file, targets]) => wall(`src/${file}.ts`, [...allowed, ...filesOf(folder, targets)]));
    return [
      wall(`src/${folder}/*.{js,ts}`, allowed, [`src/${folder}/${ROUTES}`, ...special.flatMap(({ files }) => files)]),
      wall(`src/${folder}/${ROUTES}`, [...foldersOf(folder, BELOW_ROUTES), ...others, 'zod', ...NODE]),
      ...special,
    ];
  }),
);
const protocols = Object.entries(PROTOCOLS).map(([folder, { from, packages }]) =>
  wall(`src/${folder}/*.ts`, [...foldersOf(folder, BELOW_ROUTES), ...filesOf(folder, from), ...packages, ...NODE]),
);
const OPERATOR = [
  'kysely',
  'rate-limiter-flexible',
  'zod',
  ...NODE,
  '../../package.json',
  './generated/example-answers.json',
  './{compiled,node-version}.js',
];
/** Where the service starts: it may import everything. */
export const STARTED = ['process', 'process/commands', 'process/generated'];
const start = STARTED.map((folder) =>
  wall(`src/${folder}/*.{js,ts}`, [
    ...foldersOf(folder, [
      ...STARTED.filter((one) => one !== folder),
      ...Object.keys(LOWER).filter((one) => !one.startsWith('domain/')),
      'domain/*',
      ...Object.keys(FEATURES).flatMap(placesOf),
      ...Object.keys(PROTOCOLS),
    ]),
    ...OPERATOR,
  ]),
);

/** The client is a package of its own, which runs in browsers: it imports nothing of the service, and no Node module. */
const client = wall('src/client/*.ts', ['openapi-fetch']);

/** The console runs in browsers, and shares a few pure files with the service. A screen knows the client, `ui`, `grid` (the days of the calendar) and `state`, and no other screen; only the files above know all. */
const BROWSER = ['preact', 'preact/hooks', '@preact/signals', 'canonicalize', 'qr'];
const screens = wall(
  'src/console/app/*/*.{ts,tsx}',
  ['./*.tsx', '../ui/*', '../grid/*', '../state/*', ...BROWSER],
  [],
  [
    '../../../client/almanac-client.ts',
    '../../../domain/calendar/{rrule-text,series-schedule}.ts',
    '../../../domain/record/trace-kind.ts',
    '../../../domain/plan/{kinds,own-text,plan-settings,reminders-text,setting-changes,weekdays}.ts',
    '../../../domain/access/caller.ts',
  ],
);
const shell = wall('src/console/app/*.{ts,tsx}', ['./*.tsx', './*/*', ...BROWSER]);

export default defineConfig({
  ignorePatterns: ['src/client/openapi-types.ts'],
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'oxc', 'vitest', 'node'],
  jsPlugins: [{ name: 'eslint-js', specifier: fileURLToPath(import.meta.resolve('oxlint-plugin-eslint')) }],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  options: { typeAware: true },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': [
      'error',
      {
        checksVoidReturn: false,
      },
    ],
    'typescript/await-thenable': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/no-unnecessary-type-assertion': 'error',
    'import/no-cycle': [
      'error',
      {
        ignoreTypes: false,
      },
    ],
    'import/no-default-export': 'error',
    'import/no-unassigned-import': 'off',
    'import/max-dependencies': 'off',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-callback-reference': 'off',
    'promise/always-return': 'off',
    'promise/avoid-new': 'off',
    'promise/no-multiple-resolved': 'off',
    'vitest/no-conditional-tests': 'off',
    'vitest/require-mock-type-parameters': 'off',
    'eslint/max-lines': [
      'error',
      {
        max: 320,
        skipComments: true,
        skipBlankLines: true,
      },
    ],
    // CONTRIBUTING.md, Code, has the same numbers.
    'eslint/complexity': ['error', { max: 15 }],
    'eslint/max-lines-per-function': ['error', { max: 100, skipComments: true, skipBlankLines: true }],
    'node/no-process-env': 'error',
    'import/no-named-as-default-member': 'off',
    'oxc/no-map-spread': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/prefer-set-has': 'off',
    'typescript/consistent-return': 'off',
    'typescript/require-array-sort-compare': 'off',
    'promise/no-promise-in-callback': 'off',
    'vitest/no-conditional-expect': 'off',
    'vitest/expect-expect': [
      'error',
      {
        assertFunctionNames: [
          'expect',
          '**.expect',
          'send',
          'guess',
          'register',
          'refused',
          'look',
          'bombard',
          'finds',
          'search',
        ],
      },
    ],
    'vitest/valid-expect': [
      'error',
      {
        maxArgs: 2,
      },
    ],
    'vitest/require-to-throw-message': 'off',
    'unicorn/no-useless-spread': 'off',
    // It is about windows; here messages go to threads and processes.
    'unicorn/require-post-message-target-origin': 'off',
  },
  overrides: [
    // A folder that is not listed above may import nothing.
    {
      files: ['src/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          { patterns: [{ group: ['**'], message: 'This folder has no line in oxlint.config.ts: add it.' }] },
        ],
      },
    },
    ...lower,
    ...features,
    ...protocols,
    ...start,
    client,
    screens,
    shell,
    {
      files: ['src/domain/**'],
      rules: { 'eslint/no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'fetch'] },
    },
    {
      files: ['src/client/**', 'src/console/app/**'],
      rules: { 'eslint/no-restricted-globals': ['error', 'process', 'Buffer'] },
    },
    // These import packages that npm ci leaves out; test/examples checks their types where the packages are.
    {
      files: ['examples/adapters/**', 'test/examples/*-check.ts'],
      rules: {
        'typescript/await-thenable': 'off',
        'typescript/no-redundant-type-constituents': 'off',
        'typescript/no-unnecessary-type-assertion': 'off',
      },
    },
    // The console keeps these limits when its rewriting is done. A test file is one function of many tests.
    {
      files: ['src/console/app/**', 'test/**', 'examples/**'],
      rules: { 'eslint/complexity': 'off', 'eslint/max-lines-per-function': 'off' },
    },
    // A test that reads the clock itself fails on some day. A deadline is measured by performance.now().
    {
      files: ['test/**'],
      excludeFiles: ['test/support/{today.ts,shift-clock.js}', 'test/bench/**'],
      rules: {
        'eslint-js/no-restricted-syntax': [
          'error',
          ...[
            'NewExpression[callee.name="Date"][arguments.length=0]',
            'MemberExpression[object.name="Date"][property.name="now"]',
            'MemberExpression[object.name="Temporal"][property.name="Now"]',
          ].map((selector) => ({ selector, message: 'Take days and instants from test/support/today.ts.' })),
        ],
      },
    },
    {
      files: ['.ci/**', 'src/process/**', 'test/**', 'examples/**', 'vitest.config.ts', 'oxlint.config.ts'],
      rules: { 'node/no-process-env': 'off', 'import/no-default-export': 'off', 'eslint/max-lines': 'off' },
    },
  ],
});
