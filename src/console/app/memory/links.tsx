/** The links of a trace as a small graph, and the same as a list for those who do not see it. */
import type { Trace, TraceEdge } from '../../../client/almanac-client.ts';
import { change, linkTo, parameter, past } from '../state/address.ts';
import { resource } from '../state/resource.ts';
import { pastClient } from '../state/service.ts';
import { Foreign } from '../ui/text.tsx';
import { history } from './found.ts';

type Kind = 'linked' | 'child' | 'event';
/** Another trace, and everything that ties it to this one. */
type Link = { uid: string; name: string | undefined; kind: Kind; relations: string[] };

/** More do not fit around the trace; the list names them. */
const IN_GRAPH = 12;
const PAGE = 200;

type Walked = { results: { uid: string; summary?: string }[]; edges: TraceEdge[] };
type Seeds = { task_id: string; max_depth: 0 } | { uid: string; max_depth: 1 };

const walk = (seeds: Seeds): Promise<Walked> =>
  pastClient.memport.export({
    ...{ ...seeds, limit: PAGE, ...past.value },
    export_format: 'linked',
  });

/** What this trace links to, and the traces of its task, which may link to it. */
const around = ({ uid, task_id }: Trace): Promise<Walked[]> =>
  Promise.all([walk({ uid, max_depth: 1 }), ...(task_id === null ? [] : [walk({ task_id, max_depth: 0 })])]);

const KIND_NAMES: Record<Kind, [string, string]> = {
  linked: ['links to', 'is linked from'],
  child: ['has the child', 'is a child of'],
  event: ['belongs to the record of the event', 'is the event of'],
};

const links = resource<{ uid: string; version: number }, Link[]>(
  () => {
    const latest = history.data.value?.[0]?.trace;
    return latest && latest.uid === parameter('trace') ? { uid: latest.uid, version: latest.version } : null;
  },
  [],
  async ({ uid }) => {
    const trace = history.data.value?.[0]?.trace;
    if (!trace) return [];
    const walked = await around(trace);
    const names = new Map(walked.flatMap(({ results }) => results.map((one) => [one.uid, one.summary])));
    const found = walked.flatMap(({ edges }) => edges).filter(({ from, to }) => from === uid || to === uid);
    const all = new Map<string, Link>();
    for (const { from, to, kind } of found) {
      const [other, relation] = from === uid ? [to, KIND_NAMES[kind][0]] : [from, KIND_NAMES[kind][1]];
      const link = all.get(other) ?? { uid: other, name: names.get(other), kind, relations: [] };
      all.set(other, link);
      if (!link.relations.includes(relation)) link.relations.push(relation);
    }
    return [...all.values()];
  },
);

const relation = ({ relations }: Link): string => relations.join(', ');
const nameOf = ({ name, uid }: Link): string => name ?? `${uid}, which does not exist`;

const open = (event: Event, uid: string): void => {
  event.preventDefault();
  change({ trace: uid });
};

const WIDTH = 520;
const heightOf = (count: number): number => (count > 4 ? 260 : count > 2 ? 190 : 70);
const LETTERS = 20;
const short = (text: string): string =>
  text.length > LETTERS ? `${Array.from(text).slice(0, LETTERS).join('')}…` : text;

/** On an ellipse around the trace. */
const placeOf = (n: number, count: number): { x: number; y: number } => {
  const angle = (2 * Math.PI * n) / count - Math.PI / 2 + (count > 2 ? 0 : Math.PI / 2);
  return {
    x: WIDTH / 2 + Math.cos(angle) * (WIDTH / 2 - 85),
    y: heightOf(count) / 2 + Math.sin(angle) * (heightOf(count) / 2 - 28),
  };
};

const Node = ({ link, n, count }: { link: Link; n: number; count: number }) => {
  const { x, y } = placeOf(n, count);
  return (
    <a href={linkTo('memory', { trace: link.uid })} onClick={(event) => open(event, link.uid)}>
      <title>{`${relation(link)}: ${nameOf(link)}`}</title>
      <rect
        x={x - 80}
        y={y - 16}
        width={160}
        height={32}
        rx={8}
        data-missing={link.name === undefined ? '' : undefined}
      />
      <text x={x} y={y + 5}>
        {short(link.name ?? link.uid)}
      </text>
    </a>
  );
};

const Graph = ({ all }: { all: Link[] }) => (
  <svg class="graph" viewBox={`0 0 ${WIDTH} ${heightOf(all.length)}`} role="group" aria-label="Graph of the links">
    {all.map((link, n) => {
      const { x, y } = placeOf(n, all.length);
      return <line key={n} x1={WIDTH / 2} y1={heightOf(all.length) / 2} x2={x} y2={y} data-kind={link.kind} />;
    })}
    <circle cx={WIDTH / 2} cy={heightOf(all.length) / 2} r={14} />
    {all.map((link, n) => (
      <Node key={n} link={link} n={n} count={all.length} />
    ))}
  </svg>
);

export const Links = () => {
  const all = links.data.value;
  if (!all?.length || links.stale.value) return null;
  return (
    <>
      <h3>Links ({all.length})</h3>
      <Graph all={all.slice(0, IN_GRAPH)} />
      <details open={all.length > IN_GRAPH}>
        <summary>Links as a list</summary>
        <ul>
          {all.map((link, n) => (
            <li key={n}>
              It {relation(link)}{' '}
              <a href={linkTo('memory', { trace: link.uid })} onClick={(event) => open(event, link.uid)}>
                <Foreign lines={2}>{nameOf(link)}</Foreign>
              </a>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
};
