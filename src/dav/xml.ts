/** Reads and writes the XML of WebDAV. Names are `{namespace}local`. A document type is refused, and so are entities and deep nesting. */
import { SaxesParser } from 'saxes';
import { problem, type Problem } from '../common/problem.ts';

export type Element = {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  /** The text directly in the element. */
  text: string;
};

export const D = 'DAV:';
export const C = 'urn:ietf:params:xml:ns:caldav';
export const CS = 'http://calendarserver.org/ns/';
export const APPLE = 'http://apple.com/ns/ical/';

/** The prefixes of answers. */
const PREFIXES: Record<string, string> = { [D]: 'D', [C]: 'C', [CS]: 'CS', [APPLE]: 'A' };

export const named = (namespace: string, local: string): string => `{${namespace}}${local}`;

const MAX_DEPTH = 20;
/** A calendar-multiget of 20,000 resources has as many elements. */
const MAX_ELEMENTS = 50_000;
const MAX_ATTRIBUTES = 20;

const malformed = (why: string): Problem => problem('malformed_request', `The XML body cannot be read: ${why}.`);

/** Parses a document. @throws 400 where it is not well-formed, has a document type, or is nested too deeply */
export const parseXml = (text: string): Element => {
  const parser = new SaxesParser({ xmlns: true });
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open: Element[] = [top];
  let elements = 0;
  const last = (): Element => open.at(-1) as Element;
  parser.on('error', (error) => {
    throw malformed(error.message.slice(0, 200));
  });
  parser.on('doctype', () => {
    throw malformed('it has a document type, which WebDAV does not use');
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    elements += 1;
    if (open.length > MAX_DEPTH || elements > MAX_ELEMENTS || Object.keys(attributes).length > MAX_ATTRIBUTES)
      throw malformed('it is nested too deeply or has too many elements');
    const own = Object.values(attributes).filter(({ prefix }) => prefix !== 'xmlns');
    const element: Element = {
      name: named(uri, local),
      attributes: Object.fromEntries(own.map((one) => [one.local, one.value])),
      children: [],
      text: '',
    };
    last().children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  for (const kind of ['text', 'cdata'] as const)
    parser.on(kind, (piece) => {
      last().text += piece;
    });
  parser.write(text).close();
  const [root] = top.children;
  if (!root) throw malformed('it is empty');
  return root;
};

export const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((child) => child.name === name);
export const childrenOf = (element: Element | undefined, name: string): Element[] =>
  element?.children.filter((child) => child.name === name) ?? [];

const MARKS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };

/** Escapes text, and removes what XML 1.0 cannot contain. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[&<>"\r]/g, (mark) => MARKS[mark] ?? mark)
    .replace(/(?![\t\n])[\p{Cc}\uFFFE\uFFFF]/gu, '');

/** Writes an element. `inner` is XML that is already escaped. */
export const xml = (name: string, inner = '', attributes: Record<string, string> = {}): string => {
  const [, namespace = '', local = ''] = /^\{([^}]*)\}(.*)$/s.exec(name) ?? [];
  const prefix = PREFIXES[namespace];
  const tag = prefix === undefined ? local : `${prefix}:${local}`;
  const own = prefix === undefined ? ` xmlns="${escaped(namespace)}"` : '';
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const head = `${tag}${own}${list.join('')}`;
  return inner === '' ? `<${head}/>` : `<${head}>${inner}</${tag}>`;
};

const HEAD = '<?xml version="1.0" encoding="utf-8"?>\n';
const DECLARED = Object.entries(PREFIXES)
  .map(([namespace, prefix]) => ` xmlns:${prefix}="${namespace}"`)
  .join('');

/** Writes the root of a document around pieces that come one after the other. */
export async function* document(
  local: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  yield `${HEAD}<D:${local}${DECLARED}>`;
  yield* pieces;
  yield `</D:${local}>`;
}

export const wholeDocument = (local: string, inner: string): string =>
  `${HEAD}<D:${local}${DECLARED}>${inner}</D:${local}>`;
