/**
 * Renders the OpenAPI document as the page GET /docs, which loads nothing from other servers and is readable without
 * JavaScript.
 */
import { hash } from 'node:crypto';
import type { OpenApi, Operation } from '../http/openapi.ts';
import { CODES } from '../common/problem.ts';
import { escape, html, raw, type Html } from '../http/html.ts';
import { STATUS } from '../http/problem-json.ts';
import { SCRIPT, STYLE } from './docs-assets.ts';

/** Renders the Markdown that our texts use: paragraphs, lists, code, bold. */
const markdown = (text: string): Html => {
  const inline = (line: string): string =>
    escape(line)
      .replace(/`([^`]+)`/g, '<code>$1</code>')
      .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>');
  const blocks = text.split(/\n{2,}/).map((block) => {
    const lines = block.split('\n');
    const items = lines.filter((l) => l.startsWith('- '));
    const head = lines.filter((l) => !l.startsWith('- ')).map(inline);
    return `${head.length ? `<p>${head.join(' ')}</p>` : ''}${items.length ? `<ul>${items.map((l) => `<li>${inline(l.slice(2))}</li>`).join('')}</ul>` : ''}`;
  });
  return raw(blocks.join('\n'));
};

type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  additionalProperties?: Schema | boolean;
};

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
const schemaId = (name: string): string => `schema-${name}`;

/** Describes a type in a few words, with links to named schemas. */
const typeOf = (schema: Schema): Html => {
  if (schema.$ref) return html`<a href="#${schemaId(nameOf(schema.$ref))}">${nameOf(schema.$ref)}</a>`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return raw(choices.map((s) => typeOf(s).html).join(' or '));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum && schema.enum.length <= 12)
    return raw(schema.enum.map((v) => html`<code>${v}</code>`.html).join(' '));
  if (schema.type === 'array') return html`list of ${typeOf(schema.items ?? {})}`;
  return html`${[schema.format ?? schema.type ?? 'any'].flat().join(' or ')}`;
};

const boundsOf = ({ minimum, maximum, minLength, maxLength, default: preset }: Schema): string =>
  [
    minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && `from ${minimum}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `to ${maximum}`,
    minLength !== undefined && minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    preset !== undefined && `default ${JSON.stringify(preset)}`,
  ]
    .filter(Boolean)
    .join(', ');

const field = (name: string, schema: Schema, required: boolean): Html => {
  const bounds = boundsOf(schema);
  const nested = schema.properties ?? schema.items?.properties;
  return html`<tr>
    <th scope="row"><code>${name}</code>${required && html` <span class="must" title="required">*</span>`}</th>
    <td>
      ${typeOf(schema)}${bounds && html` <small>${bounds}</small>`}
      ${schema.description && markdown(schema.description)}
      ${nested && fields(schema.properties ? schema : (schema.items as Schema))}
    </td>
  </tr>`;
};

const fields = ({ properties = {}, required = [] }: Schema): Html =>
  html`<table>
    ${Object.entries(properties).map(([name, s]) => field(name, s, required.includes(name)))}
  </table>`;

/** Lists the members of an object, or the type where it has none. */
const shape = (schema: Schema): Html => (schema.properties ? fields(schema) : html`<p>${typeOf(schema)}</p>`);

type Shown = Operation & { method: string; path: string };

const curl = ({ method, path, security, requestBody, parameters }: Shown): string => {
  const query = parameters.flatMap((p) =>
    'name' in p && (p.required || p.example !== undefined)
      ? [`${p.name}=${(p.example as string | undefined) ?? `<${p.name}>`}`]
      : [],
  );
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = media?.example === undefined ? '' : JSON.stringify(media.example).replaceAll("'", "'\\''");
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$ALMANAC${path}${query.length ? `?${query.join('&')}` : ''}"`,
    ...(security.length ? [`-H "Authorization: Bearer $ALMANAC_KEY"`] : []),
    ...(type ? [`-H 'Content-Type: ${type}'`] : []),
    ...(body ? [`-d '${body}'`] : []),
  ].join(' \\\n  ');
};

const answers = (responses: Shown['responses']): Html =>
  html`<ul class="answers">
    ${Object.entries(responses).map(([status, answer]) => {
      if ('$ref' in answer)
        return status === 'default'
          ? ''
          : html`<li><b>${status}</b> <a href="#answer-${nameOf(answer.$ref)}">${nameOf(answer.$ref)}</a></li>`;
      const content = Object.entries(answer.content ?? {});
      return html`<li>
        <b>${status}</b>
        ${content.map(([type, media]) => html`<small>${type}</small> ${typeOf((media.schema ?? {}) as Schema)} `)}
      </li>`;
    })}
  </ul>`;

const operation = (op: Shown): Html => {
  const parameters = op.parameters.filter((p) => 'name' in p);
  const body = Object.values(op.requestBody?.content ?? {})[0]?.schema as Schema | undefined;
  const success = Object.values(op.responses).find((r) => 'content' in r);
  const answer =
    success && 'content' in success ? (success.content?.['application/json']?.schema as Schema | undefined) : undefined;
  return html`<details
    class="op"
    id="${op.operationId}"
    data-find="${`${op.method} ${op.path} ${op.summary} ${op['x-scopes'].join(' ')}`.toLowerCase()}"
  >
    <summary>
      <span class="${op.method} method">${op.method.toUpperCase()}</span> <code>${op.path}</code>
      <span class="say">${op.summary}</span>
    </summary>
    ${markdown(op.description ?? '')}
    <pre>${curl(op)}</pre>
    ${
      parameters.length > 0 &&
      html`<h4>Query</h4>
        <table>
          ${parameters.map((p) => field(p.name, { ...(p.schema as Schema), ...(p.description ? { description: p.description } : {}) }, p.required === true))}
        </table>`
    }
    ${
      body &&
      html`<h4>Body</h4>
        ${shape(body)}`
    }
    ${
      answer?.properties &&
      html`<h4>Answer</h4>
        ${shape(answer)}`
    }
    <h4>Answers</h4>
    ${answers(op.responses)}
  </details>`;
};

const problems = (): Html =>
  html`<table>
    ${Object.entries(CODES).map(
      ([code, [kind, , text]]) =>
        html`<tr id="${code}" data-find="${code}">
          <th scope="row"><code>${code}</code></th>
          <td>${STATUS[kind]}</td>
          <td>${text}</td>
        </tr>`,
    )}
  </table>`;

const page = (document: OpenApi): Html => {
  const shown = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, op]): Shown => ({ ...op, method, path })),
  );
  const byTag = Map.groupBy(shown, (op) => op.tags[0] ?? '');
  const tags = document.tags.filter((tag) => byTag.has(tag.name));
  const { schemas, responses } = document.components;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${document.info.title} API ${document.info.version}</title>
        ${element('style', STYLE)}
      </head>
      <body>
        <nav>
          <input type="search" id="find" placeholder="Find an operation, schema or problem" aria-label="Find" />
          <ul>
            ${tags.map((tag) => html`<li><a href="#tag-${tag.name}">${tag.name}</a></li>`)}
            <li><a href="#problems">problems</a></li>
            <li><a href="#schemas">schemas</a></li>
            <li><a href="openapi.json">openapi.json</a></li>
          </ul>
        </nav>
        <main>
          <h1>${document.info.title} <small>API ${document.info.version}</small></h1>
          <p>${document.info.summary}</p>
          ${markdown(document.info.description)}
          <pre>export ALMANAC=http://127.0.0.1:8080 ALMANAC_KEY=alm_user_...</pre>
          ${tags.map(
            (tag) =>
              html`<section>
                <h2 id="tag-${tag.name}">${tag.name}</h2>
                ${markdown(tag.description)}${byTag.get(tag.name)?.map(operation)}
              </section>`,
          )}
          <section>
            <h2 id="problems">problems</h2>
            ${problems()}
            ${Object.entries(responses).map(
              ([name, answer]) =>
                html`<h3 id="answer-${name}">${name}</h3>
                  ${markdown(answer.description)}`,
            )}
          </section>
          <section>
            <h2 id="schemas">schemas</h2>
            ${Object.entries(schemas).map(
              ([name, schema]) =>
                html`<details class="schema" id="${schemaId(name)}" data-find="${name.toLowerCase()}">
                  <summary><code>${name}</code></summary>
                  ${markdown((schema as Schema).description ?? '')}${shape(schema as Schema)}
                </details>`,
            )}
          </section>
        </main>
        ${element('script', SCRIPT)}
      </body>
    </html> `;
};

/** The style and script must be in the page exactly as they were hashed for the policy, without formatting. */
const element = (name: 'style' | 'script', text: string): Html => raw(`<${name}>${text}</${name}>`);

const sha256 = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** Renders the page, and the policy that allows only its own style and script and forbids loading anything. */
export const renderDocs = (document: OpenApi): { html: string; csp: string } => ({
  html: page(document).html,
  csp: `default-src 'none'; style-src ${sha256(STYLE)}; script-src ${sha256(SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
});
