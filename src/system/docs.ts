/** The API reference at GET /docs: Scalar, which this process serves itself, over openapi.json with samples of the client. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { html } from '../http/pages/html.ts';
import type { OpenApi, Operation } from '../http/openapi/document.ts';

/** The hash of the script in reference/scalar.js.br. */
export const SCALAR = {
  version: '1.46.4',
  sha256: '81b8d2bdab4a42ab81465386441b9a0f928b68631364360f00e8cce620cc1efb',
};

const compressed = readFileSync(join(import.meta.dirname, 'reference/scalar.js.br'));

/** The script as it is sent: all present browsers take brotli. */
export const scalar = (acceptEncoding: string | undefined): { bytes: Buffer; headers: Record<string, string> } =>
  /\bbr\b/.test(acceptEncoding ?? '')
    ? { bytes: compressed, headers: { 'Content-Encoding': 'br', Vary: 'Accept-Encoding' } }
    : { bytes: brotliDecompressSync(compressed), headers: { Vary: 'Accept-Encoding' } };

/** Scalar writes its styles into the page; scripts, requests and pictures come from this service only. */
export const DOCS_POLICY = [
  ...["default-src 'none'", "script-src 'self'", "connect-src 'self'", "style-src 'self' 'unsafe-inline'"],
  ...[
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ],
].join('; ');

/** Addresses are relative, so that the page works under /v1 and behind a proxy too. */
export const DOCS_PAGE = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Almanac API</title>
      <link rel="icon" href="data:," />
      <style>
        /* On phones, the title of the operation and hidden texts for screen readers would make the page wider. */
        :has(> .flex-1.whitespace-nowrap),
        .flex-1.whitespace-nowrap {
          min-width: 0;
          overflow: hidden;
          text-overflow: ellipsis;
        }
        #reference {
          position: relative;
          overflow-x: clip;
        }
      </style>
    </head>
    <body>
      <aside id="problem" hidden></aside>
      <main id="reference"></main>
      <noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
      <script src="docs/scalar.js"></script>
      <script src="docs/page.js"></script>
    </body>
  </html> `.html.trim();

/** Starts Scalar. The \`type\` of a problem is the address of its code here, which is explained above the reference. */
export const DOCS_SCRIPT = `
const problem = document.getElementById('problem');
problem.style.cssText = 'padding: 1rem 1.5rem; border-bottom: 1px solid #8884; font: 15px/1.5 system-ui, sans-serif';
const explain = (document_) => {
  const code = decodeURIComponent(location.hash.slice(1));
  const lines = document_.components.schemas.ProblemCode.description.split('\\n');
  const line = lines.find((one) => one.startsWith('- \`' + code + '\`'));
  problem.hidden = line === undefined;
  problem.textContent = line === undefined ? '' : line.slice(2).replaceAll('\`', '');
};
const base = location.pathname.replace(/\\/docs\\/?$/, '');
fetch(base + '/docs/openapi.json')
  .then((answer) => answer.json())
  .then((content) => {
    explain(content);
    addEventListener('hashchange', () => explain(content));
    Scalar.createApiReference('#reference', {
      content,
      servers: [{ url: location.origin + base, description: 'This service' }],
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      hiddenClients: { c: true, clojure: true, csharp: true, dart: true, fsharp: true, http: true, java: true, kotlin: true, objc: true, ocaml: true, powershell: true, r: true, ruby: true, rust: true, swift: true, node: true, php: true, shell: ['httpie', 'wget'], js: ['axios', 'jquery', 'ofetch', 'xhr'], python: ['aiohttp', 'python3'], go: true },
      authentication: { preferredSecurityScheme: 'bearer' },
      operationTitleSource: 'summary',
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      proxyUrl: '',
      documentDownloadType: 'none',
    });
  });
`;

const MEDIA = 'application/json';

/** A call of the operation with the TypeScript client (src/client), which has the paths and types of openapi.yaml. */
const sampleOf = (method: string, path: string, { parameters, requestBody }: Operation): string => {
  const query = Object.fromEntries(
    parameters.flatMap((p) => ('name' in p && p.example !== undefined ? [[p.name, p.example]] : [])),
  );
  const body = requestBody?.content[MEDIA]?.example;
  const options = {
    ...(Object.keys(query).length ? { params: { query } } : {}),
    ...(body === undefined ? {} : { body }),
  };
  const text = Object.keys(options).length
    ? `, ${JSON.stringify(options, null, 2).replaceAll(/^( *)"(\w+)":/gm, '$1$2:')}`
    : '';
  return [
    `import { createClient } from 'almanac-client';`,
    '',
    "const client = createClient({ url: 'http://127.0.0.1:8080', credential: process.env.KEY ?? '' });",
    `const { data } = await client.http.${method.toUpperCase()}('${path}'${text});`,
    '',
  ].join('\n');
};

/** The document with samples in TypeScript. Scalar makes those of curl itself. */
export const withSamples = (document: OpenApi): object => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          {
            ...operation,
            'x-codeSamples': [{ lang: 'typescript', label: 'TypeScript', source: sampleOf(method, path, operation) }],
          },
        ]),
      ),
    ]),
  ),
});

/** What a model reads first (llmstxt.org): how to call the service, and each operation in a line. */
export const llmsText = ({ info, tags, paths }: OpenApi): string => {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, op]) => ({
      tag: op.tags[0],
      line: `- ${method.toUpperCase()} ${path}: ${op.summary}`,
    })),
  );
  const sections = tags.map(({ name, description }) =>
    [`## ${name}`, '', description, '', ...operations.filter((op) => op.tag === name).map((op) => op.line)].join('\n'),
  );
  return [
    `# ${info.title}`,
    `> ${info.summary}`,
    info.description,
    '- [openapi.json](openapi.json): every operation with its schemas and examples\n- [docs](docs): the same for people',
    ...sections,
    '',
  ].join('\n\n');
};
