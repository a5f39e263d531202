/** Leaves components and properties out of iCalendar text, as a report asks (RFC 4791 §9.6.1). */
import { problem } from '../common/problem.ts';
import { C, childOf, childrenOf, named, type Element } from './xml.ts';

/** What is kept of a component: `true` keeps all, and for a property `false` keeps its name without its value. */
type Selection = { properties: ReadonlyMap<string, boolean> | true; components: ReadonlyMap<string, Selection> | true };

const ALL: Selection = { properties: true, components: true };
const NONE: Selection = { properties: new Map(), components: new Map() };

const c = (local: string): string => named(C, local);

const nameIn = ({ attributes }: Element): string => {
  const name = attributes['name'];
  if (name === undefined) throw problem('malformed_request', 'Each comp and prop of calendar-data needs a name.');
  return name.toUpperCase();
};

const selectionOf = (comp: Element): Selection => {
  // The first example of the RFC (§7.8.1) reads an empty element as the whole component.
  if (comp.children.length === 0) return ALL;
  const properties = new Map(
    childrenOf(comp, c('prop')).map((one) => [nameIn(one), one.attributes['novalue'] !== 'yes']),
  );
  const components = new Map(childrenOf(comp, c('comp')).map((one) => [nameIn(one), selectionOf(one)]));
  return {
    properties: childOf(comp, c('allprop')) ? true : properties,
    components: childOf(comp, c('allcomp')) ? true : components,
  };
};

const inside = ({ components }: Selection, name: string): Selection | null =>
  components === true ? ALL : (components.get(name) ?? null);

/** Gives the lines that a selection keeps of pieces of whole lines. A folded line goes on with a blank (RFC 5545 §3.1). */
function* keptOf(pieces: Iterable<string>, selection: Selection): Generator<string> {
  const open: (Selection | null)[] = [{ properties: NONE.properties, components: new Map([['VCALENDAR', selection]]) }];
  let isKept = false;
  const keptBorder = (line: string, name: 'BEGIN' | 'END'): string => {
    const here = open.at(-1) ?? null;
    isKept = false;
    if (name === 'BEGIN') open.push(here && inside(here, line.slice('BEGIN:'.length).trimEnd()));
    const isShown = Boolean(open.at(-1));
    if (name === 'END') open.pop();
    return isShown ? line : '';
  };
  const keptProperty = (line: string, name: string): string => {
    const here = open.at(-1);
    const wanted = here && (here.properties === true || here.properties.get(name));
    isKept = wanted === true;
    if (isKept) return line;
    return wanted === false ? `${name}:\r\n` : '';
  };
  const keptLine = (line: string): string => {
    if (/^[ \t]/.test(line)) return isKept ? line : '';
    const [, name = ''] = /^([^:;\r\n]*)/.exec(line) ?? [];
    return name === 'BEGIN' || name === 'END' ? keptBorder(line, name) : keptProperty(line, name);
  };
  for (const piece of pieces)
    yield piece
      .split(/(?<=\r\n)/)
      .map(keptLine)
      .join('');
}

/** Reads what calendar-data asks for; null where it asks for all. @throws 400 */
export const partialText = (data: Element): ((pieces: Iterable<string>) => Generator<string>) | null => {
  const [comp, ...more] = childrenOf(data, c('comp'));
  if (!comp) return null;
  if (more.length || nameIn(comp) !== 'VCALENDAR')
    throw problem('malformed_request', 'The comp of calendar-data must be one VCALENDAR.');
  const selection = selectionOf(comp);
  return (pieces) => keptOf(pieces, selection);
};
