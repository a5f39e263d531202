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

/** The parser reads this many characters at once. A tag that is longer than four such pieces has too many attributes. */
const CHUNK = 16_384;
const MAX_TAG_CHUNKS = 4;

/** Parses a document, and yields. @throws 400 where it is not well-formed, has a document type, or is nested too deeply */
export function* parsingXml(text: string): Generator<undefined, Element> {
  const parser = new SaxesParser({ xmlns: true });
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open: Element[] = [top];
  let elements = 0;
  /** The tag that is being read, and the chunks that it has. */
  const tag = { isOpen: false, chunks: 0 };
  const last = (): Element => open.at(-1) as Element;
  parser.on('error', (error) => {
    throw malformed(error.message.slice(0, 200));
  });
  parser.on('doctype', () => {
    throw malformed('it has a document type, which WebDAV does not use');
  });
  parser.on('opentagstart', () => {
    Object.assign(tag, { isOpen: true, chunks: 0 });
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    elements += 1;
    tag.isOpen = false;
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
  for (let from = 0; from < text.length; from += CHUNK) {
    parser.write(text.slice(from, from + CHUNK));
    tag.chunks += 1;
    if (tag.isOpen && tag.chunks > MAX_TAG_CHUNKS) throw malformed('a tag has too many attributes');
    yield;
  }
  parser.close();
  const [root] = top.children;
  if (!root) throw malformed('it is empty');
  return root;
}

export const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((child) => child.name === name);
export const childrenOf = (element: Element | undefined, name: string): Element[] =>
  element?.children.filter((child) => child.name === name) ?? [];

const MARKS: [RegExp, string][] = [
  [/&/g, '&amp;'],
  [/</g, '&lt;'],
  [/>/g, '&gt;'],
  [/"/g, '&quot;'],
  [/\r/g, '&#13;'],
];

/** Escapes text, and removes what XML 1.0 cannot contain. */
export const escaped = (text: string): string =>
  MARKS.reduce((made, [mark, written]) => made.replace(mark, written), text.toWellFormed()).replace(
    // oxlint-disable-next-line no-control-regex -- these are what XML cannot contain
    /[\0-\x08\x0b-\x1f\x7f-\x9f\uFFFE\uFFFF]/g,
    '',
  );

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
